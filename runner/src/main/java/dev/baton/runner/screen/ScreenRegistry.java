/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.screen;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The screens of a runner's interactive steps that are in progress. Thread-safe. */
public final class ScreenRegistry {
  private record Key(String run, String step) {}

  private final ConcurrentMap<Key, InteractiveScreen> screens = new ConcurrentHashMap<>();

  /** The result of a search. */
  sealed interface Found {
    record Screen(InteractiveScreen screen) implements Found {}

    record None(String reason) implements Found {}
  }

  public void add(String run, InteractiveScreen screen) {
    screens.put(new Key(run, screen.step()), screen);
  }

  public void remove(String run, InteractiveScreen screen) {
    screens.remove(new Key(run, screen.step()), screen);
  }

  /**
   * @param step its path; empty for the only one of the run
   */
  Found find(String run, String step) {
    List<InteractiveScreen> open =
        screens.entrySet().stream()
            .filter(entry -> entry.getKey().run().equals(run))
            .map(java.util.Map.Entry::getValue)
            .toList();
    List<String> steps = open.stream().map(InteractiveScreen::step).sorted().toList();
    if (open.isEmpty()) {
      return new Found.None("no interactive step of the run is in progress");
    }
    if (step.isEmpty()) {
      return open.size() == 1
          ? new Found.Screen(open.getFirst())
          : new Found.None(
              "several interactive steps are in progress, name one with --step: "
                  + String.join(", ", steps));
    }
    return open.stream()
        .filter(screen -> screen.step().equals(step))
        .findFirst()
        .<Found>map(Found.Screen::new)
        .orElseGet(
            () ->
                new Found.None(
                    "step '%s' is not interactive or not in progress; in progress: %s"
                        .formatted(step, String.join(", ", steps))));
  }
}
