/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A checkpoint of a run: where its own objects are. Its packs are the project's. */
public record CheckpointName(String project, String run, String id) {
  private static final Pattern MANIFEST =
      Pattern.compile("([^/]+)/checkpoints/([^/]+)/([^/]+)\\.json");

  /** The one whose manifest has this key; empty where it is another object's. */
  public static Optional<CheckpointName> ofManifest(String key) {
    Matcher matcher = MANIFEST.matcher(key);
    return matcher.matches()
        ? Optional.of(new CheckpointName(matcher.group(1), matcher.group(2), matcher.group(3)))
        : Optional.empty();
  }

  /** With what the keys of all manifests and pins of a project begin. */
  public static String prefix(String project) {
    return project + "/checkpoints/";
  }

  /** With what those of a run begin. */
  public static String prefix(String project, String run) {
    return prefix(project) + run + "/";
  }

  public String manifestKey() {
    return prefix(project, run) + id + ".json";
  }

  /** Where it is told that it is pinned, so that this outlives Postgres. */
  public String pinKey() {
    return prefix(project, run) + id + ".pin";
  }
}
