// The home's cards: of each lab the run of its opening settings, opened as the lab shows it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"

namespace lockstep {

// What a lab opens with: its first rung, its defaults, and whom it follows at first.
Request opening_request(const Lab& lab);

class HomeCards {
 public:
  struct Card {
    std::shared_ptr<const Run> run;
    std::unique_ptr<LabScene> scene;
    std::optional<Message> problem;  // why there will be no picture
  };
  // Of all labs, in the order of their table.
  static std::vector<Request> requests();
  void take(Run run);
  void take(const Request& request, const Error& error);
  // Folds one run that has come and is not open yet; false where there is none. Folding costs milliseconds:
  // one a frame.
  bool open_next();
  void open_all();
  bool waits_to_open() const;
  // Their words are of another language.
  void open_anew();
  // The card of a lab; empty until its run is here.
  const Card& of(const std::string& lab) const;
  bool all_here() const;  // no run is still to come

 private:
  std::map<std::string, Card> cards_;
};

}  // namespace lockstep
