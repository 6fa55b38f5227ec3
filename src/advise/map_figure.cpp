// SPDX-License-Identifier: BSD-3-Clause
// Figure 3.4 of Stengel's thesis: the Jacobi solver with sticks and with blocks of subdomains on
// each node, by the size of the grid.
#include "advise/map_figure.hpp"

#include <fmt/format.h>

#include "advise/solver_on_cluster.hpp"
#include "mapping/subgrid.hpp"
#include "model/jacobi_decomposition.hpp"
#include "plait/error.hpp"
#include "report/measured_scaling.hpp"
#include "text/extents.hpp"

namespace plait::advise {
namespace {

/// The ranks along each axis: blocks of one rank per core, one block on each node.
model::Extents ranks_of(int nodes, int cores, const model::Extents& cells) {
  const model::Extents parts = model::parts_for_nodes(nodes, cells);
  const model::Extents of_node = {cells[0] / parts[0], cells[1] / parts[1], cells[2] / parts[2]};
  const model::Extents block = model::parts_for_ranks(cores, of_node);
  return {parts[0] * block[0], parts[1] * block[1], parts[2] * block[2]};
}

}  // namespace

report::MapFigure measure_map_figure(const MapFigureRequest& request) {
  const std::filesystem::path solver = installed_solver("plait-jacobi");
  const cluster::Cluster cluster = cluster_for_results(request.cluster, request.folder);
  report::MapFigure figure;
  figure.nodes = static_cast<int>(cluster.nodes.size());
  figure.cores = cluster.nodes.front().cores;
  figure.shares_cores = cluster.shares_cores();
  figure.folder = request.folder.string();
  if (figure.nodes < 2 || figure.cores < 2) {
    throw Error("--cluster " + request.cluster, "needs two nodes and two cores per node",
                "start it: plait cluster up --nodes 4 --cores-per-node 8");
  }
  figure.messages = mapping::subgrid_surface(figure.cores);
  for (const int edge : request.edges) figure.rows.push_back({edge, {}, {}});
  for (int round = 1; round <= request.repeat; ++round) {
    for (report::MapFigureRow& row : figure.rows) {
      const model::Extents cells{row.edge, row.edge, row.edge};
      const model::Extents ranks = ranks_of(figure.nodes, figure.cores, cells);
      for (const auto& [map, speeds] :
           {std::pair{"row_major", &row.sticks}, std::pair{"node_blocked", &row.blocks}}) {
        const std::string name = fmt::format("{}-{}", row.edge, map);
        const std::filesystem::path result =
            request.folder / fmt::format("{}-{}.json", name, round);
        const std::vector<std::string> command{request.launcher,
                                               "-n",
                                               std::to_string(figure.nodes * figure.cores),
                                               solver.string(),
                                               "--size",
                                               format_extents(cells),
                                               "--ranks",
                                               format_extents(ranks),
                                               "--map",
                                               map,
                                               "--schedule",
                                               "blocking",
                                               "--threads",
                                               "1",
                                               "--steps",
                                               std::to_string(request.steps),
                                               "--json",
                                               result.string()};
        run_on_nodes(cluster, figure.nodes, command, name, request.folder, round, request.repeat);
        for (const double mlups : report::read_jacobi_speeds(result)) speeds->push_back(mlups);
      }
    }
  }
  return figure;
}

}  // namespace plait::advise
