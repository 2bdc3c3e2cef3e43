/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.protocol.digest.Digest;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The location of a checkpoint's own objects (manifest and pin). Its packs are stored per project.
 * The key of a manifest contains the SHA-256 of its bytes, so that no late upload can replace the
 * object of another manifest with the same id. Earlier versions wrote {@code <id>.json}.
 */
public record CheckpointName(String project, String run, String id) {
  private static final Pattern MANIFEST =
      Pattern.compile("([^/]+)/checkpoints/([^/]+)/([^/]+?)(\\.[0-9a-f]{64})?\\.json");

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

  /** The key of the object with these bytes. */
  public String manifestKey(byte[] manifest) {
    return objectPrefix() + HexFormat.of().formatHex(Digest.sha256().digest(manifest)) + ".json";
  }

  /** The key that earlier versions gave to the checkpoint's manifest, whatever its bytes. */
  public String formerManifestKey() {
    return objectPrefix() + "json";
  }

  /** The key prefix of all objects of this checkpoint. */
  public String objectPrefix() {
    return prefix(project, run) + id + ".";
  }

  /** The key of the object that records a pin, so that the pin survives a loss of Postgres. */
  public String pinKey() {
    return objectPrefix() + "pin";
  }
}
