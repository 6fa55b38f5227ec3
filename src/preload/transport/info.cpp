// SPDX-License-Identifier: BSD-3-Clause
// What the provider offers to an MPI library.
#include "preload/transport/info.hpp"

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <cstdlib>
#include <cstring>

#include "transport/fragments.hpp"

namespace plait::preload::provider {
namespace {

constexpr uint64_t kSends = FI_MSG | FI_TAGGED | FI_SEND;
constexpr uint64_t kReceives =
    FI_MSG | FI_TAGGED | FI_RECV | FI_DIRECTED_RECV | FI_SOURCE | FI_MULTI_RECV;
constexpr uint64_t kReach = FI_LOCAL_COMM | FI_REMOTE_COMM;
constexpr uint64_t kOperationFlags = FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE |
                                     FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE |
                                     FI_REMOTE_CQ_DATA | FI_MULTI_RECV;
constexpr std::size_t kQueueLength = 1024;  ///< a hint; queues grow

constexpr std::size_t kMostSentPieces = 8;  ///< of a message to send; more would only be slow

/// FI_TAG_GENERIC of 1.x, which 2.x has under other names: all bits may be used.
constexpr uint64_t kAllTagBits = 0xAAAAAAAAAAAAAAAAULL;

bool domain_fits(const fi_domain_attr& wanted) {
  return wanted.data_progress != FI_PROGRESS_AUTO && wanted.control_progress != FI_PROGRESS_AUTO &&
         wanted.cq_data_size <= sizeof(uint64_t) && wanted.max_ep_tx_ctx <= 1 &&
         wanted.max_ep_rx_ctx <= 1 && (wanted.name == nullptr || strcmp(wanted.name, kName) == 0);
}

bool endpoint_fits(const fi_ep_attr& wanted) {
  return (wanted.type == FI_EP_UNSPEC || wanted.type == FI_EP_RDM) &&
         wanted.protocol == FI_PROTO_UNSPEC && wanted.tx_ctx_cnt <= 1 && wanted.rx_ctx_cnt <= 1;
}

bool fits(const fi_info& hints) {
  const uint64_t all = kSends | kReceives | kReach;
  if ((hints.caps & ~all) != 0) return false;
  if (hints.addr_format != FI_FORMAT_UNSPEC && hints.addr_format != FI_ADDR_STR) return false;
  if (hints.ep_attr != nullptr && !endpoint_fits(*hints.ep_attr)) return false;
  if (hints.domain_attr != nullptr && !domain_fits(*hints.domain_attr)) return false;
  if (hints.fabric_attr != nullptr && hints.fabric_attr->name != nullptr &&
      strcmp(hints.fabric_attr->name, kName) != 0)
    return false;
  if (const fi_tx_attr* const sends = hints.tx_attr) {
    if ((sends->caps & ~all) != 0 || (sends->op_flags & ~kOperationFlags) != 0 ||
        sends->inject_size > transport::kEagerBytes || sends->iov_limit > kMostSentPieces)
      return false;
  }
  const fi_rx_attr* const receives = hints.rx_attr;
  return receives == nullptr ||
         ((receives->caps & ~all) == 0 && (receives->op_flags & ~kOperationFlags) == 0 &&
          receives->iov_limit <= 1);
}

void describe_endpoint(fi_info& info, const fi_info* hints) {
  const uint64_t wanted = hints != nullptr && hints->caps != 0 ? hints->caps : ~uint64_t{0};
  fi_tx_attr& sends = *info.tx_attr;
  sends.caps = kSends & (wanted | FI_SEND);
  sends.msg_order = FI_ORDER_SAS;
  sends.inject_size = transport::kEagerBytes;
  sends.size = kQueueLength;
  sends.iov_limit = kMostSentPieces;
  fi_rx_attr& receives = *info.rx_attr;
  receives.caps = kReceives & (wanted | FI_RECV);
  receives.msg_order = FI_ORDER_SAS;
  receives.size = kQueueLength;
  receives.iov_limit = 1;
  if (hints != nullptr && hints->tx_attr != nullptr) sends.op_flags = hints->tx_attr->op_flags;
  if (hints != nullptr && hints->rx_attr != nullptr) receives.op_flags = hints->rx_attr->op_flags;
  info.caps = sends.caps | receives.caps | kReach;
  fi_ep_attr& endpoint = *info.ep_attr;
  endpoint.type = FI_EP_RDM;
  endpoint.protocol_version = 1;
  endpoint.max_msg_size = SIZE_MAX;
  endpoint.mem_tag_format = kAllTagBits;
  endpoint.tx_ctx_cnt = endpoint.rx_ctx_cnt = 1;
}

bool describe_domain(fi_info& info, const fi_info* hints, uint32_t version) {
  fi_domain_attr& domain = *info.domain_attr;
  const fi_domain_attr* const wanted = hints != nullptr ? hints->domain_attr : nullptr;
  domain.name = strdup(kName);
  domain.threading = wanted != nullptr && wanted->threading != FI_THREAD_UNSPEC ? wanted->threading
                                                                                : FI_THREAD_SAFE;
  domain.control_progress = domain.data_progress = FI_PROGRESS_MANUAL;
  domain.resource_mgmt = FI_RM_ENABLED;
  domain.av_type =
      wanted != nullptr && wanted->av_type != FI_AV_UNSPEC ? wanted->av_type : FI_AV_TABLE;
  domain.mr_key_size = sizeof(uint64_t);
  domain.cq_data_size = sizeof(uint64_t);
  domain.cq_cnt = kQueueLength;
  domain.ep_cnt = 1;
  domain.tx_ctx_cnt = domain.rx_ctx_cnt = 1;
  domain.max_ep_tx_ctx = domain.max_ep_rx_ctx = 1;
  domain.mr_iov_limit = 1;
  domain.mr_cnt = kQueueLength;
  domain.caps = kReach;
  fi_fabric_attr& fabric = *info.fabric_attr;
  fabric.name = strdup(kName);
  fabric.prov_version = kProviderVersion;
  fabric.api_version = version;
  return domain.name != nullptr && fabric.name != nullptr;
}

}  // namespace

int describe(const Host& host, uint32_t version, const fi_info* hints, fi_info** info) noexcept {
  if (hints != nullptr && !fits(*hints)) return -FI_ENODATA;
  fi_info* const made = host.dup_info(nullptr);
  if (made == nullptr) return -FI_ENOMEM;
  describe_endpoint(*made, hints);
  made->addr_format = FI_ADDR_STR;
  if (!describe_domain(*made, hints, version)) {
    host.free_info(made);
    return -FI_ENOMEM;
  }
  *info = made;
  return FI_SUCCESS;
}

}  // namespace plait::preload::provider
