// Every option of every command is a file that is declared as one, or no file.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <CLI/CLI.hpp>

#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"

namespace tilespmv::tools {
namespace {

using ::testing::HasSubstr;

/// Texts that name no file. Whoever adds an option of another kind declares it with a function of
/// `tools/options/command_files.hpp`, or adds it here.
const std::vector<std::string> kTexts{"--baseline", "--operator", "--precond", "--selector", "--suite", "KIND"};

class FileOptions : public ::testing::Test {
protected:
    FileOptions() {
        app_.require_subcommand(0, 1);
        add_commands(app_);
        app_.parse_complete_callback([this] {
            for (const auto* command : app_.get_subcommands()) check_files(*command);
            throw CLI::Success();  // before the command does anything
        });
    }

    std::vector<CLI::App*> commands() {
        return app_.get_subcommands([](const CLI::App*) { return true; });
    }
    static std::vector<CLI::Option*> options_of_type(CLI::App& command, std::string_view type) {
        return command.get_options([&](const CLI::Option* o) { return o->get_type_name() == type; });
    }
    struct Given {
        const CLI::Option* option;
        std::string value;
    };

    /// What is said of a command line that gives these, and another file for each further option that is required.
    std::string message_of(const CLI::App& command, const Given& input, const Given& output) {
        std::vector<Given> all{input, output};
        for (const auto* needed : input.option->get_needs()) all.push_back({needed, "1"});
        for (const auto* option : command.get_options()) {
            if (option->get_required() && option != input.option && option != output.option)
                all.push_back({option, (directory_.path() / ("other" + option->get_name())).string()});
        }
        std::vector<std::string> arguments{command.get_name()};
        for (const auto& [option, value] : all) {
            if (!option->get_positional()) arguments.push_back(option->get_name());
            arguments.push_back(value);
        }
        std::ranges::reverse(arguments);  // as CLI11 wants them
        try {
            app_.parse(arguments);
        } catch (const Error& error) {
            return error.what();
        } catch (const CLI::Error& error) {
            return error.get_exit_code() == 0 ? "accepted" : error.what();
        }
        return "accepted";
    }

    test::TemporaryDirectory directory_;
    CLI::App app_{"test", "tilespmv"};
};

TEST_F(FileOptions, AreDeclared) {
    ASSERT_GE(commands().size(), 10);
    for (CLI::App* command : commands()) {
        for (const CLI::Option* option : options_of_type(*command, "TEXT")) {
            EXPECT_EQ(std::ranges::count(kTexts, option->get_name()), 1)
                << command->get_name() << ' ' << option->get_name() << ": a file, or only a text?";
        }
    }
}

TEST_F(FileOptions, OutputsReplaceNoInput) {
    const std::string file = directory_.file("A.mtx", "a matrix");
    int pairs = 0;
    for (CLI::App* command : commands()) {
        std::vector<Given> inputs;
        for (const auto* option : options_of_type(*command, "INPUT")) inputs.push_back({option, file});
        std::vector<Given> outputs;
        for (const auto* option : options_of_type(*command, "OUTPUT")) outputs.push_back({option, file});
        for (const auto* option : options_of_type(*command, "OUTPUT|-")) outputs.push_back({option, file});
        for (const Given& input : inputs) {
            for (const Given& output : outputs) {
                EXPECT_THAT(message_of(*command, input, output),
                            HasSubstr("would replace the input " + input.option->get_name()))
                    << command->get_name() << ' ' << output.option->get_name();
                ++pairs;
            }
        }
    }
    EXPECT_GT(pairs, 12);
}

}  // namespace
}  // namespace tilespmv::tools
