// The figures of a story's scenes: of the run on the stage, of other runs (each made at most once), of
// recordings, of the step and the device. Where runs come from is the caller's.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "app/labs/lab.hpp"
#include "run_figures.hpp"
#include "story.hpp"

namespace lockstep {

struct RunSources {
  // A run that was had is not asked for again; one that was refused is, so that a window may answer "under
  // way" (Exit::unavailable) until it is there.
  std::function<Result<Run>(const Request&)> run;
  // What was recorded of a rung: runs without columns.
  std::function<std::vector<Run>(const std::string& lab, const std::string& rung)> recorded;
};

class StoryFigures final : public FigureSource {
 public:
  explicit StoryFigures(RunSources sources) : sources_(std::move(sources)) {}

  // The scene that `run`, `step` and the parameters' names speak of from now on. The error says that its run
  // cannot be had (Exit::unavailable), or that the run has no such step.
  Status show(const std::string& lab, const SceneSetup& setup);
  // The same for a run and a step that are on the stage already: where the reader left the lab.
  void show(std::shared_ptr<const LabScene> scene, LabView view);
  const LabScene* scene() const { return scene_.get(); }
  const LabView& view() const { return view_; }

  Result<Value> figure(const FigurePath& asked) override;

 private:
  using Opened = std::shared_ptr<const LabScene>;
  Result<Opened> opened(const Request& request);
  Result<Value> of_run(const FigurePath& asked);
  Result<Value> of_recording(const FigurePath& asked);
  Result<Value> of_step(const std::string& name) const;
  Result<Value> of_device(const std::string& name) const;
  Result<Value> parameter(const FigurePath& asked) const;

  RunSources sources_;
  std::vector<std::pair<Request, Opened>> runs_;
  std::map<std::string, Value> recorded_;  // figures that recordings gave, by whose and which
  Request request_;
  Opened scene_;
  LabView view_;
};

}  // namespace lockstep
