// The sub-commands of kmbench, one file each; every function adds one to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace km {

void add_list(CLI::App& app, int& code);
void add_env(CLI::App& app, int& code);
void add_run(CLI::App& app, int& code, std::vector<std::string> argv);
void add_tune(CLI::App& app, int& code, std::vector<std::string> argv);
void add_advise(CLI::App& app, int& code, std::vector<std::string> argv);
void add_check(CLI::App& app, int& code, std::vector<std::string> argv);
void add_data(CLI::App& app, int& code);
void add_export(CLI::App& app, int& code);
void add_ceilings(CLI::App& app, int& code);
void add_plots(CLI::App& app);
void add_completion(CLI::App& app, int& code);

}  // namespace km
