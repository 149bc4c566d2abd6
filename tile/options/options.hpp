#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilespmv {

/// A specification `name[:option=value[,option=value]...]` of a selector, an operator or a generator, taken apart. Each
/// option must be read once with a default; what remains unread is an error. All errors are usage `Error`s that begin
/// with the specification.
class Options {
public:
    /// `kind` says in errors what is specified. Throws for text that does not have this form, and for an option that is
    /// given twice or without a value.
    Options(std::string_view kind, std::string_view specification);

    [[nodiscard]] const std::string& specification() const { return specification_; }
    /// What stands before the first colon.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// A word that stands for a number.
    struct NamedNumber {
        std::string_view name;
        double value = 0;
    };
    /// Whether `option` is given; it is still to be read.
    [[nodiscard]] bool has(std::string_view option) const;
    /// The number given for `option`, by a name of `names` or as it is, or the default; throws outside [low, high].
    double number(std::string_view option, double default_value, double low, double high,
                  std::initializer_list<NamedNumber> names = {});
    /// The same for a whole number; bounds are less than 2^53.
    std::int64_t whole(std::string_view option, std::int64_t default_value, std::int64_t low, std::int64_t high);
    /// Whether `option` is 1 rather than 0, or the default; throws for anything else.
    bool flag(std::string_view option, bool default_value) { return one_of(option, default_value, {0, 1}) == 1; }
    /// The number given for `option`, or the default; throws unless it is one of `values`.
    int one_of(std::string_view option, int default_value, std::initializer_list<int> values);
    /// The word given for `option`, or the default.
    std::string word(std::string_view option, std::string_view default_value);
    /// Throws an error that names an option nobody read, and those that were.
    void finish() const;
    /// Throws an error of this specification.
    [[noreturn]] void fail(const std::string& message) const;

private:
    void add(std::string_view item);
    const std::string* find(std::string_view option);
    double in_range(std::string_view option, double default_value, double low, double high, bool whole,
                    std::initializer_list<NamedNumber> names);

    std::string kind_;
    std::string specification_;
    std::string name_;
    std::vector<std::pair<std::string, std::string>> given_;
    std::vector<std::string> known_;
};

}  // namespace tilespmv
