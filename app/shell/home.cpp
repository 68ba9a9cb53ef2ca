#include "home.hpp"

#include <algorithm>

namespace lockstep {

Request opening_request(const Lab& lab) {
  Request request;
  request.lab = lab.info().slug, request.rung = lab.info().rungs.front().slug;
  if (auto params = complete_params(lab.info(), request.rung, {})) request.params = std::move(*params);
  const Followed followed = lab.opens_at(request.rung, request.params);
  request.block = followed.block, request.warp = followed.warp;
  return request;
}

std::vector<Request> HomeCards::requests() {
  std::vector<Request> all;
  for (const Lab* lab : labs()) {
    all.push_back(opening_request(*lab));
    all.back().engine = EngineKind::emulator;  // the same picture everywhere, and no GPU is woken for it
  }
  return all;
}

void HomeCards::take(Run run) {
  const std::string lab = run.request.lab;
  cards_[lab] = {std::make_shared<const Run>(std::move(run)), nullptr, {}};
}

void HomeCards::take(const Request& request, const Error& error) {
  cards_[request.lab] = {nullptr, nullptr, error.message};
}

bool HomeCards::open_next() {
  for (auto& [slug, card] : cards_) {
    const Lab* lab = find_lab(slug);
    if (!card.run || card.scene || !lab) continue;
    card.scene = lab->open(card.run);
    return true;
  }
  return false;
}

void HomeCards::open_all() {
  while (open_next()) continue;
}

bool HomeCards::waits_to_open() const {
  return std::any_of(cards_.begin(), cards_.end(),
                     [](const auto& card) { return card.second.run && !card.second.scene; });
}

void HomeCards::open_anew() {
  for (auto& [slug, card] : cards_) card.scene.reset();
}

const HomeCards::Card& HomeCards::of(const std::string& lab) const {
  static const Card none;
  const auto found = cards_.find(lab);
  return found == cards_.end() ? none : found->second;
}

bool HomeCards::all_here() const { return cards_.size() == labs().size(); }

}  // namespace lockstep
