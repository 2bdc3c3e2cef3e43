/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.JvmCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Creates AOT caches: starts a stack that records itself, and stops it; then starts a runner that
 * records itself.
 */
final class AotCacheTrainer {

  private static final String RUNNER = "runner";
  private static final long RUNNER_SECONDS = 120;

  private AotCacheTrainer() {}

  /** Returns the program's exit code: 0, or 1 when a cache is missing. */
  static int run(
      Path data, Set<StackComponent> components, boolean force, Consumer<String> progress)
      throws IOException, InterruptedException {
    StandaloneStack stack =
        StandaloneStack.builder()
            .data(data)
            .components(components)
            .aot(AotMode.TRAIN)
            .progress(progress)
            .prepare();
    Map<String, Path> caches;
    try (stack) {
      caches = caches(stack.specs(), components);
      if (!force && caches.values().stream().allMatch(Files::exists)) {
        progress.accept("AOT caches are up to date");
        return 0;
      }
      stack.startAll();
    }
    if (caches.containsKey(RUNNER)) {
      train(stack.specs().runner(AotMode.TRAIN), stack.data());
    }
    return report(caches, progress);
  }

  private static Map<String, Path> caches(ProcessSpecFactory specs, Set<StackComponent> components)
      throws IOException {
    Map<String, Path> caches = new LinkedHashMap<>();
    for (StackComponent component : components) {
      Optional<JvmCommand> jvm = specs.jvm(component);
      if (jvm.isPresent()) {
        caches.put(component.label(), jvm.get().cacheFile());
      }
    }
    if (components.contains(StackComponent.ORCHESTRATOR)) {
      caches.put(RUNNER, specs.runner(AotMode.TRAIN).cacheFile());
    }
    return caches;
  }

  private static void train(JvmCommand runner, Path data) throws IOException, InterruptedException {
    File log = data.resolve("logs").resolve("runner-training.log").toFile();
    Process process =
        new ProcessBuilder(runner.line(List.of("--train")))
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start();
    if (!process.waitFor(RUNNER_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new IOException("the training of the runner took longer than 2 min, see " + log);
    }
  }

  private static int report(Map<String, Path> caches, Consumer<String> progress)
      throws IOException {
    int missing = 0;
    for (Map.Entry<String, Path> cache : caches.entrySet()) {
      if (Files.exists(cache.getValue())) {
        double megabytes = Files.size(cache.getValue()) / 1e6;
        progress.accept("%s cache %.0f MB".formatted(cache.getKey(), megabytes));
      } else {
        progress.accept(cache.getKey() + " has written no cache; it starts without one");
        missing++;
      }
    }
    return missing == 0 ? 0 : 1;
  }
}
