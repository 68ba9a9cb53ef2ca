#include "app/cli/command_line.hpp"

int main(int argc, char** argv) { return lockstep::command_line(argc, argv); }
