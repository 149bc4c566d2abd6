#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tile/error.hpp"
#include "tile/io/printable.hpp"

namespace tilespmv::bench {

/// A value in a JSON file, and where it stands, so that an error can say so. Texts are `printable`, for they may be
/// somebody else's and are shown on terminals; numbers are finite, as all of JSON.
class JsonNode {
public:
    using Json = nlohmann::json;
    JsonNode(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(where_.empty() ? what : fmt::format("{}: {}", where_, what));
    }

    [[nodiscard]] bool is_null() const { return json_->is_null(); }
    [[nodiscard]] bool has(const char* name) const { return json_->is_object() && json_->contains(name); }

    [[nodiscard]] JsonNode operator[](const char* name) const {
        if (!json_->is_object()) fail("expected an object");
        const auto found = json_->find(name);
        if (found == json_->end()) fail(fmt::format("{} is missing", name));
        return {*found, where_.empty() ? name : fmt::format("{}.{}", where_, name)};
    }

    [[nodiscard]] std::vector<JsonNode> elements() const {
        if (!json_->is_array()) fail("expected an array");
        std::vector<JsonNode> all;
        for (std::size_t i = 0; i < json_->size(); ++i) all.emplace_back((*json_)[i], fmt::format("{}[{}]", where_, i));
        return all;
    }

    /// What `read` makes of each element of an array.
    template <class F>
    [[nodiscard]] auto list(F&& read) const {
        std::vector<decltype(read(*this))> all;
        for (const JsonNode& one : elements()) all.push_back(read(one));
        return all;
    }

    [[nodiscard]] std::string text() const {
        if (!json_->is_string()) fail("expected a text");
        return printable(json_->get_ref<const std::string&>());
    }
    [[nodiscard]] bool flag() const {
        if (!json_->is_boolean()) fail("expected true or false");
        return json_->get<bool>();
    }
    [[nodiscard]] double number() const {
        if (!json_->is_number()) fail("expected a number");
        return json_->get<double>();
    }
    [[nodiscard]] double non_negative() const {
        const double value = number();
        if (value < 0) fail(fmt::format("is {}, expected none below 0", value));
        return value;
    }
    [[nodiscard]] double positive() const {
        const double value = number();
        if (value <= 0) fail(fmt::format("is {}, expected a number above 0", value));
        return value;
    }
    /// A whole number that T has, from 0 on.
    template <class T>
    [[nodiscard]] T whole() const {
        const double value = non_negative();
        if (value != std::floor(value)) fail(fmt::format("is {}, expected a whole number", value));
        const double end = static_cast<double>(std::numeric_limits<T>::max()) + 1;  // the power of two behind it
        if (value >= end) fail(fmt::format("is {}, which is too large", value));
        return json_->get<T>();
    }

    // Of entries that older files do not have:
    template <class T>
    [[nodiscard]] T whole_or(const char* name, T otherwise) const {
        return has(name) ? (*this)[name].whole<T>() : otherwise;
    }
    [[nodiscard]] std::string text_or(const char* name, const char* otherwise) const {
        return has(name) ? (*this)[name].text() : otherwise;
    }

    /// Of an array of positive numbers, which may be long.
    [[nodiscard]] std::vector<double> positive_numbers() const {
        if (!json_->is_array()) fail("expected an array");
        std::vector<double> numbers;
        numbers.reserve(json_->size());
        for (const Json& one : *json_) {
            const double value = one.is_number() ? one.get<double>() : 0;
            if (value <= 0) static_cast<void>(JsonNode(one, fmt::format("{}[{}]", where_, numbers.size())).positive());
            numbers.push_back(value);
        }
        return numbers;
    }

private:
    const Json* json_;
    std::string where_;
};

}  // namespace tilespmv::bench
