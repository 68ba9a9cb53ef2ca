// doctor --device: what drivers say of devices, explained, beside what data sheets say.
#include <algorithm>
#include <iostream>

#include "app/cli/print.hpp"
#include "app/cli/session.hpp"
#include "app/cli/verbs.hpp"
#include "app/devices/device_report.hpp"
#include "app/devices/gpus.hpp"
#include "app/engine/known_devices.hpp"

namespace lockstep {
namespace {

void print_report(const std::vector<DeviceGroup>& report) {
  for (const DeviceGroup& group : report) {
    std::cout << "  " << group.title << "\n";
    std::vector<std::vector<std::string>> rows;
    for (const DeviceRow& row : group.rows)
      rows.push_back({"    " + row.name, row.value, row.differs ? "gpus.json: " + row.file.value_or("") : "",
                      row.meaning});
    std::cout << table(rows);
  }
}

void print_device(const KnownDevice& known) {
  const Gpu* gpu = find_gpu(known.device.name);
  std::cout << known.device.name << ", driver " << known.device.driver << ", CUDA " << known.device.runtime
            << ": " << known.provenance.words() << "\n";
  if (!gpu) std::cout << "  gpus.json does not know this device\n";
  print_report(device_report(known.attributes, gpu));
}

}  // namespace

Outcome doctor_device(const RunArguments& arguments) {
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  const Engines engines = make_engines(*folders);
  const Engine::Health gpu = engines.cuda->health();
  const auto known = known_devices(engines);
  if (!gpu.ok) std::cout << "no GPU can be asked here: " << gpu.what.text() << "\n";
  for (const KnownDevice& one : known) print_device(one);
  if (gpu.ok) return Exit::done;
  for (const Gpu& one : known_gpus()) {
    const auto same = [&](const KnownDevice& k) { return find_gpu(k.device.name) == &one; };
    if (std::any_of(known.begin(), known.end(), same)) continue;
    std::cout << one.name << ": by gpus.json alone\n";
    print_report(device_report(one));
  }
  std::cout << std::flush;
  return Exit::done;
}

}  // namespace lockstep
