#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilespmv {

/// A specification `name[:option=value[,option=value]...]` of a selector or an operator, taken apart. Each option must
/// be read once with a default; what remains unread is an error.
class Options {
public:
    /// `kind` says in errors what is specified. Throws a usage `Error` for text that does not have this form.
    Options(std::string_view kind, std::string_view specification);

    [[nodiscard]] const std::string& name() const { return name_; }
    /// The number given for `option`, or the default; throws a usage `Error` outside [low, high].
    double number(std::string_view option, double default_value, double low, double high);
    /// The number given for `option`, or the default; throws a usage `Error` unless it is one of `values`.
    int one_of(std::string_view option, int default_value, std::initializer_list<int> values);
    /// The word given for `option`, or the default.
    std::string word(std::string_view option, std::string_view default_value);
    /// Throws a usage `Error` that names an option nobody read, and those that were.
    void finish() const;

private:
    std::string kind_;
    std::string specification_;
    std::string name_;
    std::vector<std::pair<std::string, std::string>> given_;
    std::vector<std::string> known_;
};

}  // namespace tilespmv
