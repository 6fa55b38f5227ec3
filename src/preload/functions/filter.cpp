// SPDX-License-Identifier: BSD-3-Clause
// Chooses functions by their names: patterns, and names from the symbols of C, C++ and Fortran.
#include "preload/functions/filter.hpp"

#include <ctype.h>
#include <string.h>

namespace plait::preload::functions {

namespace {

bool matches(const char* pattern, const char* end, const char* name) {
  for (; pattern < end; ++pattern, ++name) {
    if (*pattern == '*') {
      for (const char* rest = name;; ++rest) {
        if (matches(pattern + 1, end, rest)) return true;
        if (!*rest) return false;
      }
    }
    if (!*name || (*pattern != '?' && *pattern != *name)) return false;
  }
  return !*name;
}

// Of the name or of what is behind one of its "::".
bool matches_end(const char* pattern, const char* end, const char* name) {
  for (; name; name = strstr(name, "::"), name = name ? name + 2 : nullptr)
    if (matches(pattern, end, name)) return true;
  return false;
}

// Reads the names of C++ symbols (Itanium C++ ABI, 5.1 "External Names"), but no types: template
// arguments and parameters are skipped.
class Symbol {
public:
  Symbol(const char* text, char* into, size_t bytes) : at_(text), into_(into), bytes_(bytes) {}

  // False: not a name of this kind.
  bool encoding() {
    if (*at_ == 'L') ++at_;
    if (*at_ == 'Z') return ++at_, local();
    if (*at_ == 'N') return ++at_, nested();
    if (at_[0] == 'S' && at_[1] == 't') {
      at_ += 2;
      add("std", 3);
    }
    return part();
  }

private:
  void add(const char* text, size_t length) {
    if (used_) raw("::", 2);
    last_ = into_ + used_;
    raw(text, length);
    last_length_ = static_cast<size_t>(into_ + used_ - last_);
  }
  void raw(const char* text, size_t length) {
    const size_t room = bytes_ - 1 - used_;
    if (length > room) length = room;
    memcpy(into_ + used_, text, length);
    used_ += length;
    into_[used_] = '\0';
  }

  size_t number() {
    size_t value = 0;
    for (; isdigit(static_cast<unsigned char>(*at_)) && value < 100'000; ++at_)
      value = 10 * value + static_cast<size_t>(*at_ - '0');
    return value;
  }
  // The text of <source-name>; null: the symbol is cut off.
  const char* source_name(size_t* length) {
    *length = number();
    const char* text = at_;
    if (strnlen(at_, *length) < *length) return nullptr;
    at_ += *length;
    return text;
  }

  bool part() {
    if (isdigit(static_cast<unsigned char>(*at_))) {
      size_t length = 0;
      const char* text = source_name(&length);
      if (!text) return false;
      if (!strncmp(text, "_GLOBAL__N", 10))
        add("(anonymous)", 11);
      else
        add(text, length);
    } else if (*at_ == 'C' && at_[1]) {
      at_ += at_[1] == 'I' && at_[2] ? 3 : 2;
      again("");
    } else if (*at_ == 'D' && isdigit(static_cast<unsigned char>(at_[1]))) {
      at_ += 2;
      again("~");
    } else if (at_[0] == 'U' && at_[1] == 'l') {
      at_ += 2;
      if (!skip_to_end()) return false;
      number();
      if (*at_ == '_') ++at_;
      add("lambda", 6);
    } else if (at_[0] == 'U' && at_[1] == 't') {
      at_ += 2;
      number();
      if (*at_ == '_') ++at_;
      add("unnamed", 7);
    } else if (islower(static_cast<unsigned char>(*at_)) && at_[1]) {
      const bool is_call = at_[0] == 'c' && at_[1] == 'l';
      at_ += 2;
      add(is_call ? "operator()" : "operator", is_call ? 10 : 8);
    } else {
      return false;
    }
    while (*at_ == 'B') {
      size_t length = 0;
      ++at_;
      if (!source_name(&length)) return false;
    }
    return *at_ != 'I' || (++at_, skip_to_end());
  }

  // A constructor or destructor: the name of its class again.
  void again(const char* before) {
    char name[128];
    const size_t length = last_length_ < sizeof name ? last_length_ : sizeof name - 1;
    memcpy(name, last_ ? last_ : "", last_ ? length : 0);
    add(before, strlen(before));
    raw(name, last_ ? length : 0);
  }

  bool nested() {
    while (*at_ && strchr("rVKRO", *at_)) ++at_;
    while (*at_ != 'E') {
      if (at_[0] == 'S' && at_[1] == 't') {
        at_ += 2;
        add("std", 3);
      } else if (*at_ == 'S') {
        if (!skip_substitution()) return false;
      } else if (*at_ == 'L') {
        ++at_;
      } else if (!part()) {
        return false;
      }
    }
    ++at_;
    return used_ > 0;
  }

  // An entity within a function: the function's parameters are skipped.
  bool local() {
    if (!encoding() || !skip_to_end()) return false;
    if (*at_ == 's') return true;
    return encoding();
  }

  bool skip_substitution() {
    ++at_;
    if (islower(static_cast<unsigned char>(*at_))) return ++at_, true;
    while (isdigit(static_cast<unsigned char>(*at_)) || isupper(static_cast<unsigned char>(*at_)))
      ++at_;
    return *at_ == '_' ? (++at_, true) : false;
  }

  // A literal ends with its value, which may be digits.
  bool skip_literal() {
    if (at_[0] == '_' && at_[1] == 'Z') return at_ += 2, skip_to_end();
    if (*at_ == 'N') {
      ++at_;
      if (!skip_to_end()) return false;
    } else if (isdigit(static_cast<unsigned char>(*at_))) {
      size_t length = 0;
      if (!source_name(&length)) return false;
    }
    while (*at_ && *at_ != 'E') ++at_;
    return *at_ ? (++at_, true) : false;
  }

  // Behind the E that ends the list of types at hand.
  bool skip_to_end() {
    for (int open = 1; *at_;) {
      const char c = *at_;
      if (isdigit(static_cast<unsigned char>(c))) {
        size_t length = 0;
        if (!source_name(&length)) return false;
      } else if (c == 'S') {
        if (!skip_substitution()) return false;
      } else if (c == 'L') {
        ++at_;
        if (!skip_literal()) return false;
      } else if (c == 'T') {
        ++at_;
        number();
        if (*at_ == '_') ++at_;
      } else if (c == 'D' && at_[1]) {
        if (at_[1] == 't' || at_[1] == 'T') ++open;
        at_ += 2;
      } else {
        ++at_;
        if (strchr("INXJF", c)) ++open;
        if (c == 'E' && --open == 0) return true;
      }
    }
    return false;
  }

  const char* at_;
  char* into_;
  size_t bytes_, used_ = 0;
  const char* last_ = nullptr;
  size_t last_length_ = 0;
};

}  // namespace

void plain_name(const char* symbol, char* into, size_t bytes) {
  into[0] = '\0';
  if (symbol[0] == '_' && symbol[1] == 'Z' && Symbol(symbol + 2, into, bytes).encoding()) return;
  // Copies and the bodies of OpenMP regions: solve.part.0, solve._omp_fn.1.
  const char* dot = strchr(symbol + (*symbol != '\0'), '.');
  size_t length = dot ? static_cast<size_t>(dot - symbol) : strlen(symbol);
  const char* module_end = strstr(symbol, "_MOD_");
  if (!strncmp(symbol, "__", 2) && module_end > symbol + 2 && module_end < symbol + length) {
    const size_t module = static_cast<size_t>(module_end - symbol - 2);
    const char* procedure = module_end + 5;
    length -= static_cast<size_t>(procedure - symbol);
    if (module + 2 + length >= bytes) return;
    memcpy(into, symbol + 2, module);
    memcpy(into + module, "::", 2);
    memcpy(into + module + 2, procedure, length);
    into[module + 2 + length] = '\0';
    return;
  }
  if (length >= bytes) length = bytes - 1;
  memcpy(into, symbol, length);
  into[length] = '\0';
}

bool is_chosen(const char* patterns, const char* name) {
  bool chosen = false, only_excludes = true;
  const size_t length = strlen(name);
  // Fortran's compilers append an underscore to external procedures.
  char without[256] = "";
  if (length > 1 && length < sizeof without && name[length - 1] == '_')
    memcpy(without, name, length - 1);
  for (const char* at = patterns; *at;) {
    const char* end = strchr(at, ',');
    if (!end) end = at + strlen(at);
    const bool excludes = *at == '!';
    const char* first = at + (excludes ? 1 : 0);
    const bool fits = first < end && (matches_end(first, end, name) ||
                                      (*without && matches_end(first, end, without)));
    if (excludes && fits) return false;
    if (!excludes) only_excludes = false;
    chosen = chosen || (!excludes && fits);
    at = *end ? end + 1 : end;
  }
  return chosen || (only_excludes && *patterns);
}

}  // namespace plait::preload::functions
