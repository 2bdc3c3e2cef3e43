/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.util.HashMap;
import java.util.Map;

/**
 * The names and labels by which a launcher finds what it has started in an engine that others use
 * too. Thread-safe.
 *
 * @param prefix of the labels' names, with its separator
 */
public record RunnerLabels(String prefix) {
  /** Returns the name of a runner's container or pod; an engine accepts a name only once. */
  public static String name(String installation, String runner) {
    return "baton-" + installation + "-" + runner;
  }

  public String installation() {
    return prefix + "installation";
  }

  public String runner() {
    return prefix + "runner";
  }

  public String run() {
    return prefix + "run";
  }

  public String epoch() {
    return prefix + "epoch";
  }

  public String pool() {
    return prefix + "pool";
  }

  /** Returns a new map of all labels of a runner. */
  public Map<String, String> of(String installation, LaunchSpec spec) {
    Map<String, String> labels = new HashMap<>();
    labels.put(installation(), installation);
    labels.put(runner(), spec.runner());
    labels.put(pool(), spec.pool());
    if (spec.run() != null) {
      labels.put(run(), spec.run());
      labels.put(epoch(), Integer.toString(spec.epoch()));
    }
    return labels;
  }
}
