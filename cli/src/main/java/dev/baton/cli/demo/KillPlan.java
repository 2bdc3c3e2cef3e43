/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Plans when a run's runner is killed: after a number of completed steps, plus a delay. Equal seeds
 * give equal plans.
 */
sealed interface KillPlan {
  int MOST_PER_RUN = 3;
  int MOST_DELAY_MS = 300;

  /**
   * @param completed number of steps that must be completed
   * @param delayMs delay after that, so that kills hit the middle of a step as often as its end
   */
  record Moment(int completed, int delayMs) {}

  int kills();

  /**
   * Returns the moments for one run, in order.
   *
   * @param remaining kills still to be done, at least 1
   * @param steps number of steps that the run completes
   */
  List<Moment> next(int remaining, int steps);

  /** One kill in the middle, at the same moment in every demo. */
  static KillPlan once() {
    return new Once();
  }

  static KillPlan random(int kills, long seed) {
    return new Random(kills, new SplittableRandom(seed));
  }

  /** See {@link #once}. */
  record Once() implements KillPlan {
    @Override
    public int kills() {
      return 1;
    }

    @Override
    public List<Moment> next(int remaining, int steps) {
      return List.of(new Moment(Math.max(1, steps / 2), 0));
    }
  }

  /** See {@link #random}. */
  record Random(int kills, SplittableRandom random) implements KillPlan {
    @Override
    public List<Moment> next(int remaining, int steps) {
      // The last two steps are excluded: a kill there might come after the end.
      int choices = Math.max(1, steps - 2);
      TreeSet<Integer> at = new TreeSet<>();
      int wanted = Math.min(Math.min(remaining, MOST_PER_RUN), choices);
      while (at.size() < wanted) {
        at.add(random.nextInt(choices));
      }
      List<Moment> moments = new ArrayList<>();
      at.forEach(completed -> moments.add(new Moment(completed, random.nextInt(MOST_DELAY_MS))));
      return moments;
    }
  }
}
