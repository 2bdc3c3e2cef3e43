/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The runners on which a run may be placed. Immutable.
 *
 * @param launcher name of a configured launcher; any where empty
 * @param pool name of a pool of a launcher; any where empty
 * @param labels that the pool or the attached runner must have with exactly these values
 */
public record RunnerSelector(
    Optional<String> launcher, Optional<String> pool, Map<String, String> labels) {
  /** Selects every runner. */
  public static final RunnerSelector ANY =
      new RunnerSelector(Optional.empty(), Optional.empty(), Map.of());

  /** Names of launchers and pools. */
  public static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,62}");

  /** Names of labels. */
  public static final Pattern LABEL =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?");

  /** Values of labels. */
  public static final Pattern VALUE = Pattern.compile("[A-Za-z0-9._-]{1,63}");

  /** Maximum number of labels. */
  public static final int MAX_LABELS = 16;

  public RunnerSelector {
    labels = Map.copyOf(labels);
  }

  public boolean isAny() {
    return equals(ANY);
  }

  /**
   * Whether a runner with these properties is selected.
   *
   * @param itsLauncher null when no launcher started it
   * @param itsPool null when it is in no pool
   */
  public boolean matches(
      @Nullable String itsLauncher, @Nullable String itsPool, Map<String, String> itsLabels) {
    return launcher.map(name -> name.equals(itsLauncher)).orElse(true)
        && pool.map(name -> name.equals(itsPool)).orElse(true)
        && itsLabels.entrySet().containsAll(labels.entrySet());
  }
}
