# SPDX-License-Identifier: BSD-3-Clause
# The report's HTML page: built from web/ with Node.js, otherwise copied if it was built elsewhere,
# otherwise left out.
set(plait_page ${PROJECT_SOURCE_DIR}/web/dist/report.html)
find_program(PLAIT_NODE NAMES node nodejs DOC "Node.js 18 or later, to build the report's page")
mark_as_advanced(PLAIT_NODE)
if(PLAIT_NODE AND EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/esbuild)
  file(GLOB_RECURSE plait_page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
  add_custom_command(
    OUTPUT ${PLAIT_SHARE_DIR}/report.html
    COMMAND ${PLAIT_NODE} build.mjs ${PLAIT_SHARE_DIR}/report.html
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/web
    DEPENDS ${plait_page_sources} ${PROJECT_SOURCE_DIR}/web/build.mjs
            ${PROJECT_SOURCE_DIR}/web/package-lock.json
    COMMENT "Building the report page" VERBATIM)
  message(STATUS "Report page: built from web/")
elseif(EXISTS ${plait_page})
  add_custom_command(
    OUTPUT ${PLAIT_SHARE_DIR}/report.html
    COMMAND ${CMAKE_COMMAND} -E copy ${plait_page} ${PLAIT_SHARE_DIR}/report.html
    DEPENDS ${plait_page} VERBATIM)
  message(STATUS "Report page: ${plait_page}")
else()
  message(STATUS "Report page: not built, because neither Node.js with the page's packages nor a built "
                 "page was found; the terminal report and --json have every number. To build it, run "
                 "'npm ci && npm run build' in web/ with Node.js 18 or newer, or copy "
                 "share/plait/report.html of another build to web/dist/report.html")
  return()
endif()
add_custom_target(plait_report_page ALL DEPENDS ${PLAIT_SHARE_DIR}/report.html)
