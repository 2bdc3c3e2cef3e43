/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.jvm.AotMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;

/** Makes AOT caches: starts a stack that records itself, and stops it. */
final class AotTraining {

  private AotTraining() {}

  static int run(StackArguments arguments, Consumer<String> progress)
      throws IOException, InterruptedException {
    Stack stack =
        Stack.builder()
            .data(arguments.data())
            .components(arguments.components())
            .aot(AotMode.TRAIN)
            .progress(progress)
            .prepare();
    try (stack) {
      if (!arguments.force() && isComplete(stack, arguments.components())) {
        progress.accept("AOT caches are up to date");
        return 0;
      }
      stack.startAll();
    }
    for (Component component : arguments.components()) {
      Path cache = stack.cacheFile(component);
      if (cache != null && Files.exists(cache)) {
        progress.accept("%s cache %.0f MB".formatted(component.label(), Files.size(cache) / 1e6));
      }
    }
    return 0;
  }

  private static boolean isComplete(Stack stack, Set<Component> components) throws IOException {
    for (Component component : components) {
      Path cache = stack.cacheFile(component);
      if (cache != null && !Files.exists(cache)) {
        return false;
      }
    }
    return true;
  }
}
