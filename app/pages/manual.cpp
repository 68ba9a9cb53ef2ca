#include "manual.hpp"

#include "app/labs/lab.hpp"

namespace lockstep {

std::span<const Meaning> exit_codes() {
  static constexpr Meaning all[] = {
      {"0", N_("done")},
      {"1",
       N_("the result of a kernel is wrong, the emulator found a fault in it, or an answer is not right")},
      {"2", N_("an argument or a file cannot be used, or the output cannot be written; the message says what "
               "to do")},
      {"3", N_("what was asked for is not available on this machine: no GPU, no recording, no display")},
      {"4", N_("the process that ran the kernel ended, took too long, or was interrupted")},
  };
  return all;
}

std::span<const Meaning> environment_variables() {
  static constexpr Meaning all[] = {
      {"LOCKSTEP_NVCC", N_("the nvcc that builds your program for this machine's GPU; else the one on PATH")},
      {"LOCKSTEP_FONTS", N_("a folder with fonts that go before those of the system")},
      {"LOCKSTEP_PASSPHRASE", N_("a teacher's passphrase, where --passphrase-file is not given")},
      {"XDG_DATA_HOME", N_("the parent of your own folder lockstep; else ~/.local/share")},
  };
  return all;
}

std::span<const Meaning> folders_of_user() {
  static constexpr Meaning all[] = {
      {"~/.local/share/lockstep/recordings", N_("recordings of your own, a folder for each device")},
      {"~/.local/share/lockstep/stories", N_("stories of your own")},
      {"~/.local/share/lockstep/exercises", N_("exercises of your own")},
      {"~/.local/share/lockstep/tours", N_("lectures of your own")},
      {"~/.local/share/lockstep/answers", N_("what was answered in exercises, kept by the window")},
  };
  return all;
}

std::span<const Meaning> command_examples() {
  static constexpr Meaning all[] = {
      {"lockstep", N_("opens the window")},
      {"lockstep run transpose --rung naive --set n=256", N_("runs a kernel and prints what it counted")},
      {"lockstep run banks --rung column --say", N_("says each step in words")},
      {"lockstep shot transpose --rung padded --panel stage --width 85mm -o figure.pdf",
       N_("writes a figure for a paper")},
      {"lockstep my_kernel.cu", N_("opens a CUDA program of your own")},
      {"lockstep handout six_labs -o sheets.pdf", N_("prints a lecture: a page for each scene")},
      {"lockstep pages -o site", N_("writes the web site with all stories, exercises and this manual")},
  };
  return all;
}

namespace {

// Text of a page: what begins a line with a point or a quote is no request; `code` is bold.
std::string roff(const std::string& text) {
  std::string out;
  bool in_bold = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`')
      out += (in_bold = !in_bold) ? "\\fB" : "\\fR";
    else if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '\'')
      out += "\\(aq";
    else if (text.compare(i, 3, "…") == 0)
      out += "...", i += 2;
    else
      out += c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string roff_bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string roff_item(const std::string& head, const std::string& text) {
  return ".TP\n" + head + "\n" + (text.empty() ? "\\&" : roff(text)) + "\n";
}

// "\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR"
std::string head_of(const CommandOption& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + roff_bold(name);
  if (option.value.empty()) return text;
  return text + (text.empty() ? "" : " ") + "\\fI" + roff(option.value) + "\\fR";
}

void add_options(const CommandInfo& command, std::string& page) {
  for (const auto* options : {&command.words, &command.flags})
    for (const CommandOption& option : *options)
      if (option.names.empty() || option.names.back() != "--help")
        page += roff_item(head_of(option), option.help);
}

void add_verb(const CommandInfo& verb, const std::string& before, std::string& page) {
  page += ".SS " + roff(usage_of(verb, before)) + "\n" + roff(verb.help) + "\n";
  add_options(verb, page);
  for (const CommandInfo& inner : verb.verbs) add_verb(inner, before + " " + verb.name, page);
}

void add_meanings(const char* title, std::span<const Meaning> all, std::string& page) {
  page += std::string(".SH ") + title + "\n";
  for (const Meaning& one : all) page += roff_item(roff_bold(one.name), one.what);
}

void add_labs(std::string& page) {
  page += ".SH LABS\nEach lab with its rungs, for \\fILAB\\fR and \\fB\\-\\-rung\\fR:\n";
  for (const Lab* lab : labs()) {
    std::string rungs;
    for (const RungInfo& rung : lab->info().rungs) rungs += (rungs.empty() ? "" : ", ") + rung.slug;
    page += roff_item(roff_bold(lab->info().slug), lab->info().title + (rungs.empty() ? "" : ": " + rungs));
  }
}

}  // namespace

// Of the last change of what the manual says; no day of a build, so that a page is the same bytes twice.
constexpr const char* kManualDate = "2026-11-25";

std::string manual_page(const CommandInfo& commands) {
  std::string page = ".\\\" Made by `lockstep pages --man`; scripts/manual.sh writes it anew.\n";
  page += std::string(".TH LOCKSTEP 1 ") + kManualDate + " \"Lockstep\" \"User Commands\"\n";
  page += ".SH NAME\nlockstep \\- " + roff("real CUDA kernels, one step at a time") + "\n";
  page += ".SH SYNOPSIS\n" + roff_bold("lockstep") + " [\\fIFILE\\fR] [flags]\n.br\n" +
          roff_bold("lockstep") + " \\fIVERB\\fR [flags]\n";
  page += ".SH DESCRIPTION\n" + roff(commands.help) +
          "\nWithout a verb it opens its window. With an NVIDIA GPU the kernels run there; on any other "
          "machine the "
          "same\nsource runs on an emulator of the CUDA execution model, beside recordings of a real GPU.\n";
  add_options(commands, page);
  page += ".SH VERBS\n";
  for (const CommandInfo& verb : commands.verbs) add_verb(verb, commands.name, page);
  add_labs(page);
  add_meanings("EXIT STATUS", exit_codes(), page);
  add_meanings("ENVIRONMENT", environment_variables(), page);
  add_meanings("FILES", folders_of_user(), page);
  add_meanings("EXAMPLES", command_examples(), page);
  return page;
}

}  // namespace lockstep
