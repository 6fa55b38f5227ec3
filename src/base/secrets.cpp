// SPDX-License-Identifier: BSD-3-Clause
// Finds secrets in names, arguments and texts by their form, and masks them.
#include "base/secrets.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

namespace plait {
namespace {

using Text = std::string_view;

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// The parts of a name in lower case: "dbPassword", "DB_PASSWORD" and "--db-password" are db,
/// password.
std::vector<std::string> parts_of(Text name) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = i > 0 && is_upper(name[i]) && !is_upper(name[i - 1]);
    if ((begins || !is_alnum(name[i])) && !parts.back().empty()) parts.emplace_back();
    if (!is_alnum(name[i])) continue;
    parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

template <std::size_t N>
bool is_one_of(Text text, const std::array<Text, N>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// Names of these hold a secret whatever its form; "pgpassword" and "mysqlpwd" end in them.
constexpr std::array<Text, 8> kPasswords{"password", "passwords",  "passwd", "passphrase",
                                         "pwd",      "credential", "secret", "secrets"};
/// Others may hold a count as well: --tokens 512.
constexpr std::array<Text, 9> kTokenEnds{"token",     "tokens", "apikey",  "accesskey",  "authkey",
                                         "secretkey", "cookie", "cookies", "credentials"};
constexpr std::array<Text, 9> kTokens{"pass",   "pgpass", "key", "keys",         "auth",
                                      "bearer", "jwt",    "pat", "authorization"};
/// Such a last part says that the value is something else: --password-file, KEY_LENGTH.
constexpr std::array<Text, 10> kHarmlessEnds{"file",  "path",   "dir",  "folder", "size",
                                             "count", "length", "type", "name",   "bits"};

enum class NameKind { harmless, token, password };

template <std::size_t N>
bool ends_in_one_of(Text text, const std::array<Text, N>& list) {
  return std::any_of(list.begin(), list.end(), [&](Text end) { return text.ends_with(end); });
}

NameKind kind_of_name(Text name) {
  const std::vector<std::string> parts = parts_of(name);
  if (parts.empty() || is_one_of(parts.back(), kHarmlessEnds)) return NameKind::harmless;
  if (name == "PWD" || name == "OLDPWD") return NameKind::harmless;
  NameKind kind = NameKind::harmless;
  for (const std::string& numbered : parts) {
    const Text part = Text(numbered).substr(0, numbered.find_last_not_of("0123456789") + 1);
    if (ends_in_one_of(part, kPasswords)) return NameKind::password;
    if (ends_in_one_of(part, kTokenEnds) || is_one_of(part, kTokens)) kind = NameKind::token;
  }
  return kind;
}

/// True for values that no token has: switches, and numbers with up to two letters (512, 1.5k).
bool is_setting(Text value) {
  constexpr std::array<Text, 7> kSwitches{"true", "false", "yes", "no", "on", "off", "none"};
  const std::size_t unit = value.find_first_not_of("0123456789.");
  return is_one_of(value, kSwitches) ||
         (unit > 0 && (unit == value.npos || unit + 2 >= value.size()));
}

bool is_secret(Text name, Text value) {
  const NameKind kind = kind_of_name(name);
  if (value.empty() || kind == NameKind::harmless) return false;
  return kind == NameKind::password || !is_setting(value);
}

constexpr Text kBlanksAndQuotes = " \t\r\n\"'";

/// Replaces the password of each URL: scheme://user:password@host.
std::string without_url_passwords(Text text) {
  std::string result;
  for (;;) {
    const std::size_t at = text.find("://");
    if (at == text.npos) return result.append(text);
    const std::size_t begin = at + 3;
    const Text rest = text.substr(begin);
    const Text authority = rest.substr(0, rest.find_first_of("/?# \t\r\n\"'"));
    const std::size_t host = authority.rfind('@');
    const std::size_t colon = authority.substr(0, host).find(':');
    result.append(text.substr(0, begin));
    if (host == authority.npos || colon >= host) {
      result.append(authority);
    } else {
      result.append(authority.substr(0, colon + 1)).append(kMask).append(authority.substr(host));
    }
    text = rest.substr(authority.size());
  }
}

bool is_name_letter(char c) {
  return is_alnum(c) || c == '_' || c == '-' || c == '.';
}

/// Where the value at `begin` ends: an argument's own value at its end, a quoted one at the quote
/// before it, that of a header ("Name: value") at the end of the line, others at a separator.
std::size_t end_of_value(Text text, std::size_t begin, bool whole, bool header) {
  if (whole) return text.size();
  const char before = text[begin - 1];
  const std::size_t end = before == '"' || before == '\'' ? text.find(before, begin)
                          : header                        ? text.find_first_of("\r\n\"'", begin)
                                   : text.find_first_of("&;,{}() \t\r\n\"'", begin);
  return end == text.npos ? text.size() : end;
}

/// Replaces the values of secret names: name=value, "name": value.
std::string without_named_secrets(Text text) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find_first_of("=:"); at != text.npos;
       at = text.find_first_of("=:", std::max(at + 1, done))) {
    std::size_t name_end = at;
    while (name_end > done && kBlanksAndQuotes.find(text[name_end - 1]) != Text::npos) --name_end;
    std::size_t name_begin = name_end;
    while (name_begin > done && is_name_letter(text[name_begin - 1])) --name_begin;
    // A colon also separates folders: /opt/key:/usr/bin.
    if (text[at] == ':' && name_begin > 0 && text[name_begin - 1] == '/') continue;
    std::size_t begin = at + 1;
    while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
    const bool header = begin > at + 1;
    const bool whole = name_begin == 0 && text[at] == '=';
    if (!whole && begin < text.size() && Text("\"'").find(text[begin]) != Text::npos) ++begin;
    const std::size_t end = end_of_value(text, begin, whole, header);
    const Text name = text.substr(name_begin, name_end - name_begin);
    if (!is_secret(name, text.substr(begin, end - begin))) continue;
    result.append(text.substr(done, begin - done)).append(kMask);
    done = end;
  }
  return result.append(text.substr(done));
}

/// Tokens that services mark by how they begin, with the fewest characters that follow. "eyJ" is
/// {" in base64, with which JSON web tokens begin (RFC 7519).
struct TokenForm {
  Text begin;
  std::size_t least;
};
constexpr std::array<TokenForm, 20> kTokenForms{
    {{"ghp_", 16},  {"gho_", 16},  {"ghu_", 16},      {"ghs_", 16},        {"ghr_", 16},
     {"xoxb-", 16}, {"xoxp-", 16}, {"xoxa-", 16},     {"xoxs-", 16},       {"glpat-", 16},
     {"sk-", 20},   {"hf_", 20},   {"npm_", 20},      {"pypi-", 20},       {"AKIA", 16},
     {"ASIA", 16},  {"AIza", 30},  {"dckr_pat_", 16}, {"github_pat_", 16}, {"eyJ", 30}}};

bool is_token(Text word) {
  return word.find_first_of("0123456789") != word.npos &&
         std::any_of(kTokenForms.begin(), kTokenForms.end(), [&](TokenForm form) {
           return word.starts_with(form.begin) && word.size() >= form.begin.size() + form.least;
         });
}

/// Replaces tokens of known form.
std::string without_tokens(Text text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    const Text word = text.substr(at, end - at);
    result.append(is_token(word) ? Text(kMask) : word);
    while (end < text.size() && !is_name_letter(text[end])) result += text[end++];
    at = end;
  }
  return result;
}

/// Calls `visit` with the name and value of each variable of this process.
void for_each_variable(const std::function<void(std::string, std::string)>& visit) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) visit(text.substr(0, equals), text.substr(equals + 1));
  }
}

}  // namespace

bool is_secret_name(Text name) {
  return kind_of_name(name) != NameKind::harmless;
}

bool is_known_variable(Text name) {
  static constexpr std::array<Text, 52> kBeginnings{
      // MPI libraries, their launchers and networks
      "OMPI_", "OPAL_", "ORTE_", "PRTE_", "PMIX_", "PMI_", "MPI_", "MPICH_", "MPIR_", "MPIEXEC_",
      "HYDRA_", "HYDI_", "I_MPI_", "MV2_", "MVP_", "ROMIO_", "UCX_", "UCC_", "FI_", "PSM2_",
      "PSM3_", "IBV_", "NCCL_", "RCCL_",
      // threads and numerical libraries
      "OMP_", "GOMP_", "KMP_", "LIBOMP_", "MKL_", "OPENBLAS_", "BLIS_", "GOTO_", "NUMEXPR_",
      "VECLIB_", "HWLOC_",
      // batch systems
      "SLURM_", "SLURMD_", "SBATCH_", "SALLOC_", "SRUN_", "PBS_", "LSB_", "FLUX_", "PALS_",
      "COBALT_", "OAR_",
      // the loader, the C and Fortran run-time libraries
      "LD_", "MALLOC_", "GLIBC_", "FORT_", "GFORTRAN_",
      // Plait
      "PLAIT_"};
  static constexpr std::array<Text, 23> kNames{"PATH",
                                               "PYTHONPATH",
                                               "MODULEPATH",
                                               "LOADEDMODULES",
                                               "_LMFILES_",
                                               "CONDA_PREFIX",
                                               "VIRTUAL_ENV",
                                               "SPACK_ENV",
                                               "TMPDIR",
                                               "SHELL",
                                               "LANG",
                                               "LANGUAGE",
                                               "TZ",
                                               "TERM",
                                               "HOSTNAME",
                                               "NO_COLOR",
                                               "CUDA_VISIBLE_DEVICES",
                                               "NVIDIA_VISIBLE_DEVICES",
                                               "HIP_VISIBLE_DEVICES",
                                               "ROCR_VISIBLE_DEVICES",
                                               "ZE_AFFINITY_MASK",
                                               "PE_HOSTFILE",
                                               "NSLOTS"};
  return is_one_of(name, kNames) || name.starts_with("LC_") ||
         std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](Text beginning) { return name.starts_with(beginning); });
}

std::string masked_text(Text text) {
  return without_tokens(without_named_secrets(without_url_passwords(text)));
}

std::vector<std::string> masked_arguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> masked;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // `--password VALUE`, and Hydra's `-genv PGPASS VALUE`.
    const bool behind_name =
        i > 0 && (arguments[i - 1].starts_with('-') ||
                  (i > 1 && (arguments[i - 2] == "-genv" || arguments[i - 2] == "-env")));
    const bool is_value = behind_name && !arguments[i].starts_with('-') &&
                          arguments[i - 1].find_first_of("=:") == std::string::npos &&
                          is_secret(arguments[i - 1], arguments[i]);
    masked.push_back(is_value ? kMask : masked_text(arguments[i]));
  }
  return masked;
}

std::map<std::string, std::string> masked_environment() {
  std::map<std::string, std::string> result;
  for_each_variable([&](const std::string& name, const std::string& value) {
    if (!is_known_variable(name)) return;
    result[name] = is_secret_name(name) ? kMask : masked_text(value);
  });
  return result;
}

std::map<std::string, std::string> whole_environment() {
  std::map<std::string, std::string> result;
  for_each_variable(
      [&](const std::string& name, const std::string& value) { result[name] = value; });
  return result;
}

}  // namespace plait
