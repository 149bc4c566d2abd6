#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tile/error.hpp"

namespace tilespmv {

/// A value in a JSON file, and where it stands, so that an error can say so.
class JsonNode {
public:
    using Json = nlohmann::json;
    JsonNode(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}

    [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", where_, what)); }

    [[nodiscard]] bool is_null() const { return json_->is_null(); }
    [[nodiscard]] bool has(const char* name) const { return json_->is_object() && json_->contains(name); }

    [[nodiscard]] JsonNode operator[](const char* name) const {
        if (!json_->is_object()) fail("expected an object");
        const auto found = json_->find(name);
        if (found == json_->end()) fail(fmt::format("{} is missing", name));
        return {*found, fmt::format("{}.{}", where_, name)};
    }

    /// The elements of an array, of so many if that is not 0.
    [[nodiscard]] std::vector<JsonNode> elements(std::size_t count = 0) const {
        if (!json_->is_array()) fail("expected an array");
        if (count != 0 && json_->size() != count)
            fail(fmt::format("has {} entries, expected {}", json_->size(), count));
        std::vector<JsonNode> all;
        for (std::size_t i = 0; i < json_->size(); ++i) all.emplace_back((*json_)[i], fmt::format("{}[{}]", where_, i));
        return all;
    }

    [[nodiscard]] std::string text() const {
        if (!json_->is_string()) fail("expected a text");
        return json_->get<std::string>();
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
    /// null stands for infinity.
    [[nodiscard]] double end() const { return is_null() ? std::numeric_limits<double>::infinity() : non_negative(); }
    /// A whole number from 0 on.
    template <class T>
    [[nodiscard]] T whole() const {
        const double value = non_negative();
        if (value != std::floor(value)) fail(fmt::format("is {}, expected a whole number", value));
        if (value > static_cast<double>(std::numeric_limits<T>::max()))
            fail(fmt::format("is {}, which is too large", value));
        return json_->get<T>();
    }

private:
    const Json* json_;
    std::string where_;
};

}  // namespace tilespmv
