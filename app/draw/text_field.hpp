// A line of text that is edited, on a Canvas. What is typed comes by the keyboard of whoever holds the
// TextEdit; the pointer is answered here.
#pragma once
#include "canvas.hpp"
#include "text_edit.hpp"
#include "theme.hpp"

namespace lockstep {

struct FieldLook {
  Font font = Font::words;
  float size = 12.5f;          // at type size 1
  bool caret = true;           // shown now: it blinks
  bool focused = true;         // it has the keyboard
  bool wrong = false;          // what stands in it cannot be taken
  std::string_view hint = {};  // what to type, while it is empty
};

// A press places the caret (with Shift: selects up to there), dragging selects, a double click selects a
// word. The text moves under the field so that the caret stays in view.
Hit draw_text_field(Canvas& canvas, const Theme& theme, std::string_view id, Rect r, TextEdit& edit,
                    const FieldLook& look = {});

// Why what was typed cannot be taken, under its field.
float field_error_height(const Canvas& canvas, const Theme& theme, std::string_view why, float width);
void draw_field_error(Canvas& canvas, const Theme& theme, std::string_view why, Rect r);

}  // namespace lockstep
