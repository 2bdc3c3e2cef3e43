/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.jvm.AotCacheDirectory;
import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.InstallationLayout;
import dev.baton.standalone.jvm.JvmCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Creates AOT caches: starts a stack that records itself, executes a run on it whose runner records
 * itself, and stops the stack.
 */
final class AotCacheTrainer {

  private static final String RUNNER = "runner";

  private AotCacheTrainer() {}

  /** Returns the program's exit code: 0, or 1 when a cache is missing. */
  static int run(
      InstallationLayout installation,
      Path data,
      Set<StackComponent> components,
      boolean force,
      Consumer<String> progress)
      throws IOException, InterruptedException {
    StandaloneStack stack =
        StandaloneStack.builder()
            .layout(installation)
            .data(data)
            .components(components)
            .aot(AotMode.TRAIN)
            .trainRunners(true)
            // Idle runners would write the same cache, when the stack stops.
            .environment(StackComponent.ORCHESTRATOR, "BATON_LAUNCHER_POOL_SIZE", "0")
            .environment(StackComponent.ORCHESTRATOR, WarmRunnerPolicy.VARIABLE, "0")
            .progress(progress)
            .prepare();
    Map<String, Path> caches = caches(stack.specs(), components);
    if (!force && caches.values().stream().allMatch(AotCacheDirectory::isComplete)) {
      stack.close();
      progress.accept("AOT caches are up to date");
      return 0;
    }
    @Nullable Path runner = caches.get(RUNNER);
    boolean partial = false;
    try (stack) {
      stack.startAll();
      if (runner != null) {
        partial = true;
        partial = !train(stack, runner, progress);
      }
    } finally {
      if (partial && runner != null) {
        // After the stack has stopped: no process can write to it any more.
        AotCacheDirectory.delete(runner);
      }
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
    if (components.equals(EnumSet.allOf(StackComponent.class))) {
      // It takes all of them to execute a run.
      caches.put(RUNNER, specs.runner(AotMode.TRAIN).cacheFile());
    }
    return caches;
  }

  /** Returns false, having reported why, when no usable cache exists. */
  private static boolean train(StandaloneStack stack, Path cache, Consumer<String> progress)
      throws InterruptedException {
    try {
      RunnerCacheTrainer.train(stack, cache, stack.data().resolve("orchestrator/runners"));
      return true;
    } catch (IOException e) {
      progress.accept(e.getMessage());
      return false;
    }
  }

  private static int report(Map<String, Path> caches, Consumer<String> progress)
      throws IOException {
    int missing = 0;
    for (Map.Entry<String, Path> cache : caches.entrySet()) {
      if (AotCacheDirectory.isComplete(cache.getValue())) {
        double megabytes = Files.size(cache.getValue()) / 1e6;
        progress.accept("%s cache %.0f MB".formatted(cache.getKey(), megabytes));
      } else {
        // Its JVM was killed while it wrote one.
        AotCacheDirectory.delete(cache.getValue());
        progress.accept(cache.getKey() + " has finished no cache; it starts without one");
        missing++;
      }
    }
    return missing == 0 ? 0 : 1;
  }
}
