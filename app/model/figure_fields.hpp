// Members of a record and the names of their figures: for kinds of evidence that are mostly numbers.
#pragma once
#include <optional>
#include <variant>

#include "evidence.hpp"

namespace lockstep {

template <class Record>
struct FigureField {
  const char* name;
  std::variant<std::optional<std::int64_t> Record::*, std::optional<double> Record::*,
               std::optional<std::string> Record::*>
      member;
};

// What has another type than its member is left out.
template <class Record, class Fields>
void read_fields(Record& record, const Fields& fields, const Metrics& flat, const std::string& prefix = "") {
  const auto read = [&]<class T>(const char* name, std::optional<T> Record::*member) {
    if (const T* value = figure<T>(flat, prefix + name)) record.*member = *value;
  };
  for (const FigureField<Record>& field : fields)
    std::visit([&](auto member) { read(field.name, member); }, field.member);
}

template <class Record, class Fields>
void write_fields(const Record& record, const Fields& fields, Metrics& flat, const std::string& prefix = "") {
  for (const FigureField<Record>& field : fields)
    std::visit(
        [&](auto member) {
          if (record.*member) flat[prefix + field.name] = *(record.*member);
        },
        field.member);
}

// A kind's reader: T has `static std::optional<T> read(const Metrics&)`.
template <class T>
std::shared_ptr<const void> read_record(const Metrics& flat) {
  auto record = T::read(flat);
  return record ? std::make_shared<const T>(std::move(*record)) : nullptr;
}

}  // namespace lockstep
