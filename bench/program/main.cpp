// The program kmbench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "bench/error.hpp"
#include "bench/machine/version.hpp"
#include "bench/plugin.hpp"
#include "bench/program/arguments.hpp"
#include "bench/program/commands.hpp"

namespace {

/// One line, without CLI11's advice.
int refuse(const std::string& what) {
  fmt::print(stderr, "kmbench: {}\n", what);
  return 2;
}

/// kmbench 0.1.0, commit 78004bd05c3e with uncommitted changes, GNU 12.2.0, CUDA none
std::string version() {
  return fmt::format("kmbench {}, commit {}{}, {}, CUDA {}", km::version::number(), km::version::commit(),
                     km::version::dirty() ? " with uncommitted changes" : "", km::version::compiler(), km::version::cuda());
}

/// What other people's implementations come from: flags of the commands that name implementations, taken up before one starts. Workers get
/// the same ones.
void add_others(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const auto& paths) {
            for (const auto& path : paths) km::load_plugin(path);
          },
          "A shared library with implementations (bench/plugin.h; repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse();
  command
      .add_option_function<std::string>(
          "--external", [](const auto& words) { setenv("KMBENCH_EXTERNAL", words.c_str(), 1); },
          "A program that speaks the protocol of docs/adding.md, as library/external (\"python3 mine.py\")")
      ->trigger_on_parse();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app{"kmbench: the benchmark of k-means. Measures implementations, judges every run, writes result lines."};
  app.require_subcommand(1);
  app.set_version_flag("--version", version, "Version, commit, compiler and CUDA of this program");
  app.get_formatter()->column_width(34);
  int code = 0;
  km::add_list(app, code);
  km::add_env(app, code);
  km::add_run(app, code, {argv, argv + argc});
  km::add_tune(app, code, {argv, argv + argc});
  km::add_advise(app, code, {argv, argv + argc});
  km::add_check(app, code, {argv, argv + argc});
  km::add_data(app, code);
  km::add_export(app, code);
  km::add_ceilings(app, code);
  km::add_plots(app);
  for (const char* command : {"list", "run", "tune", "advise", "check"}) add_others(*app.get_subcommand(command));
  km::add_completion(app, code);
  try {
    km::check_arguments({argv + 1, argv + argc});
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return refuse(km::one_line(error.what()));
  } catch (const km::UserError& error) {
    return refuse(error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "kmbench: {}\n", error.what());
    return 1;
  }
  return code;
}
