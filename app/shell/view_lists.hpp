// A page of cards: a title, a sentence, cards in sections.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app.hpp"

namespace lockstep {

struct ListCard {
  std::string id, number, title, detail;
  std::string note;  // how far its reader is
  bool done = false;
  std::function<void()> choose;
};
struct ListSection {
  std::string title;  // "" for none
  std::vector<ListCard> cards;
};
struct ListContents {
  std::string title, intro;
  bool short_titles = false;  // of one line each
  bool asks_code = false;     // the student's, from the teacher
  std::vector<ListSection> sections;
};

ListContents claims_list(App& app);
ListContents exercises_list(App& app);
// Right of the rail.
void draw_list_page(Canvas& canvas, App& app, Rect page, const ListContents& list);

}  // namespace lockstep
