#include "timeline_words.hpp"

#include <map>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/pipeline.hpp"

namespace lockstep {

std::string span_hint(const Timeline& timeline, const TimelineSpan& span) {
  const std::string& name = timeline.names[span.name];
  return name + "\n" +
         tr("from {0} to {1}: {2}", {us_text(double(span.start_ns) / 1e3), us_text(double(span.end_ns) / 1e3),
                                     us_text(double(span.length_ns()) / 1e3)});
}

std::string short_call(const std::string& call) {
  const std::map<std::string, std::string> verbs{
      {name_of(ApiKind::launch), tr("launch")},       {name_of(ApiKind::synchronize), tr("waits")},
      {name_of(ApiKind::graph_launch), tr("launch")}, {name_of(ApiKind::record_event), tr("event")},
      {name_of(ApiKind::wait_event), tr("order")},    {name_of(ApiKind::begin_capture), tr("begin")},
      {name_of(ApiKind::end_capture), tr("end")},     {name_of(ApiKind::instantiate), tr("instantiate")},
      {name_of(ApiKind::copy), tr("copy")},           {name_of(ApiKind::copy_async), tr("copy")},
      {name_of(ApiKind::prefetch), tr("prefetch")},   {name_of(ApiKind::synchronize_device), tr("waits")}};
  const auto verb = verbs.find(call);
  return verb == verbs.end() ? "" : verb->second;
}

}  // namespace lockstep
