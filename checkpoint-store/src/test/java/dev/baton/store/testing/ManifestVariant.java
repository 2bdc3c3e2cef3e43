/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;

/** Writes a manifest that differs from another one. */
public final class ManifestVariant {
  private ManifestVariant() {}

  /** Returns the same checkpoint under this id, with another trigger. */
  public static byte[] write(String id, Manifest of) {
    return ManifestCodec.write(
        new Manifest(
            of.version(),
            id,
            of.sessionId(),
            of.createdAt(),
            CheckpointTrigger.MANUAL,
            of.run(),
            of.conversation(),
            of.workspace(),
            null,
            of.metrics(),
            null,
            null,
            null,
            null,
            null));
  }
}
