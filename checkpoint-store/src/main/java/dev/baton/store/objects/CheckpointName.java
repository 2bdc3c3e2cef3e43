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

/**
 * The location of a checkpoint's own objects (manifest and pin). Its packs are stored per project.
 */
public record CheckpointName(String project, String run, String id) {
  private static final Pattern MANIFEST =
      Pattern.compile("([^/]+)/checkpoints/([^/]+)/([^/]+)\\.json");

  /** Parses a manifest's key; empty for the key of another kind of object. */
  public static Optional<CheckpointName> ofManifest(String key) {
    Matcher matcher = MANIFEST.matcher(key);
    return matcher.matches()
        ? Optional.of(new CheckpointName(matcher.group(1), matcher.group(2), matcher.group(3)))
        : Optional.empty();
  }

  /** The key prefix of all manifests and pins of a project. */
  public static String prefix(String project) {
    return project + "/checkpoints/";
  }

  /** The key prefix of all manifests and pins of a run. */
  public static String prefix(String project, String run) {
    return prefix(project) + run + "/";
  }

  public String manifestKey() {
    return prefix(project, run) + id + ".json";
  }

  /** The key of the object that records a pin, so that the pin survives a loss of Postgres. */
  public String pinKey() {
    return prefix(project, run) + id + ".pin";
  }
}
