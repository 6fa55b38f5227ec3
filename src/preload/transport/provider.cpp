// SPDX-License-Identifier: BSD-3-Clause
// What libfabric loads: the provider, its fabric and its domain.
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_errno.h>
#include <rdma/providers/fi_prov.h>

#include <cstddef>
#include <cstdint>

#include "preload/transport/address_vector.hpp"
#include "preload/transport/completion_queue.hpp"
#include "preload/transport/counter.hpp"
#include "preload/transport/endpoint.hpp"
#include "preload/transport/guarded.hpp"
#include "preload/transport/host.hpp"
#include "preload/transport/info.hpp"
#include "preload/transport/membership.hpp"
#include "preload/transport/unsupported.hpp"

namespace plait::preload::provider {
namespace {

Host host;

/// Memory needs no registration. This is what a caller that registers it nevertheless gets.
struct Registration {
  fid_mr fid{};
};

struct DomainOperations {
  static int close_object(fid_t fid) noexcept {
    delete reinterpret_cast<fid_domain*>(fid);
    return FI_SUCCESS;
  }
  static int bind(fid_t, fid_t, uint64_t) noexcept { return FI_SUCCESS; }
  static int open_addresses(fid_domain*, fi_av_attr*, fid_av** vector, void* context) noexcept {
    return guarded([&] { return AddressVector::open(*Membership::of_process(), vector, context); });
  }
  static int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** queue,
                        void* context) noexcept {
    return guarded([&] { return CompletionQueue::open(domain, attributes, queue, context); });
  }
  static int open_counter(fid_domain*, fi_cntr_attr*, fid_cntr** counter, void* context) noexcept {
    return guarded([&] { return provider::open_counter(counter, context); });
  }
  static int open_endpoint(fid_domain*, fi_info* info, fid_ep** endpoint, void* context) noexcept {
    return guarded(
        [&] { return Endpoint::open(*Membership::of_process(), info, endpoint, context); });
  }
  static int close_registration(fid_t fid) noexcept {
    delete reinterpret_cast<Registration*>(fid);
    return FI_SUCCESS;
  }
  static int register_memory(fid_t, const void*, std::size_t, uint64_t, uint64_t, uint64_t key,
                             uint64_t, fid_mr** registration, void* context) noexcept;

  fi_ops object{}, registration{};
  fi_ops_domain domain{};
  fi_ops_mr memory{};

  DomainOperations() {
    object.size = registration.size = sizeof object;
    object.close = close_object;
    object.bind = bind;
    registration.close = close_registration;
    registration.bind = bind;
    for (fi_ops* ops : {&object, &registration})
      unsupported(ops->control, ops->ops_open, ops->tostr, ops->ops_set);
    domain.size = sizeof domain;
    domain.av_open = open_addresses;
    domain.cq_open = open_queue;
    domain.cntr_open = open_counter;
    domain.endpoint = open_endpoint;
    unsupported(domain.scalable_ep, domain.poll_open, domain.stx_ctx, domain.srx_ctx,
                domain.query_atomic, domain.query_collective, domain.endpoint2);
    memory.size = sizeof memory;
    memory.reg = register_memory;
    unsupported(memory.regv, memory.regattr);
  }
};

DomainOperations& domain_operations() {
  static DomainOperations operations;
  return operations;
}

fid_mr* new_registration(uint64_t key, void* context) {
  auto* const made = new Registration;
  made->fid.fid = {FI_CLASS_MR, context, &domain_operations().registration};
  made->fid.key = key;
  return &made->fid;
}

fid_domain* new_domain(void* context) {
  auto* const made = new fid_domain{};
  made->fid = {FI_CLASS_DOMAIN, context, &domain_operations().object};
  made->ops = &domain_operations().domain;
  made->mr = &domain_operations().memory;
  return made;
}

int DomainOperations::register_memory(fid_t, const void*, std::size_t, uint64_t, uint64_t,
                                      uint64_t key, uint64_t, fid_mr** registration,
                                      void* context) noexcept {
  return guarded([&] {
    *registration = new_registration(key, context);
    return FI_SUCCESS;
  });
}

struct FabricOperations {
  static int close_object(fid_t fid) noexcept {
    delete reinterpret_cast<fid_fabric*>(fid);
    return FI_SUCCESS;
  }
  static int open_domain(fid_fabric*, fi_info*, fid_domain** domain, void* context) noexcept {
    if (Membership::of_process() == nullptr) return -FI_ENODATA;
    return guarded([&] {
      *domain = new_domain(context);
      return FI_SUCCESS;
    });
  }
  static int try_wait(fid_fabric*, fid**, int) noexcept { return FI_SUCCESS; }

  fi_ops object{};
  fi_ops_fabric fabric{};

  FabricOperations() {
    object.size = sizeof object;
    object.close = close_object;
    unsupported(object.bind, object.control, object.ops_open, object.tostr, object.ops_set);
    fabric.size = sizeof fabric;
    fabric.domain = open_domain;
    fabric.trywait = try_wait;
    unsupported(fabric.passive_ep, fabric.eq_open, fabric.wait_open, fabric.domain2);
  }
};

fid_fabric* new_fabric(uint32_t api_version, void* context) {
  static FabricOperations operations;
  auto* const made = new fid_fabric{};
  made->fid = {FI_CLASS_FABRIC, context, &operations.object};
  made->ops = &operations.fabric;
  made->api_version = api_version;
  return made;
}

int open_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context) noexcept {
  return guarded([&] {
    *fabric = new_fabric(attributes->api_version, context);
    return FI_SUCCESS;
  });
}

/// Offers the provider only if all ranks of the job have it: not to a program that uses libfabric
/// itself before MPI_Init, or without MPI.
int get_info(uint32_t version, const char*, const char*, uint64_t, const fi_info* hints,
             fi_info** info) noexcept {
  if (Membership::of_process() == nullptr) return -FI_ENODATA;
  return describe(host, version, hints, info);
}

void clean_up() noexcept {}

}  // namespace
}  // namespace plait::preload::provider

/// @param objection  why this rank cannot use the transport; empty: it can
/// @param habits  of the MPI library: plait_transport_habit
/// @return true if all ranks of the job use the transport
extern "C" __attribute__((visibility("default"))) bool plait_transport_agree(const char* objection,
                                                                             unsigned habits) {
  return plait::preload::provider::Membership::form(objection, habits);
}

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini() {
  using namespace plait::preload::provider;
  static fi_provider provider{};
  host = find_host(__builtin_return_address(0));
  if (!host.complete()) return nullptr;
  provider.version = kProviderVersion;
  // libfabric leaves out providers of an older interface than the MPI library asks for.
  provider.fi_version = host.version();
  provider.name = kName;
  provider.getinfo = get_info;
  provider.fabric = open_fabric;
  provider.cleanup = clean_up;
  return &provider;
}
