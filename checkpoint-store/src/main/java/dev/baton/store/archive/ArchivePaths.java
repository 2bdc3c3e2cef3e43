/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.digest.Digest;
import java.util.Set;

/** The paths in a commit's tree. */
final class ArchivePaths {
  static final String TRACE = "trace.jsonl";
  static final String MANIFEST = "manifest.json";
  static final String INPUT = "input.json";
  static final String OUTPUT = "output.json";
  static final String WORKFLOW = "workflow.json";

  /** The origin state of a fork. */
  static final String ORIGIN = "origin.json";

  private static final String BLOBS = "blobs/";
  private static final String PACKS = "packs/";
  private static final String CHECKPOINTS = "checkpoints/";
  private static final Set<String> FOLDERS = Set.of(BLOBS, PACKS, CHECKPOINTS);

  private ArchivePaths() {}

  /** Whether a folder of this name at the top of the tree has files of a run; none is deeper. */
  static boolean isFolder(String name) {
    return FOLDERS.contains(name + "/");
  }

  static String blob(String digest) {
    return BLOBS + hex(digest);
  }

  static String pack(String digest) {
    return PACKS + hex(digest);
  }

  /** The path of a checkpoint's original manifest. */
  static String checkpoint(String id) {
    return CHECKPOINTS + id + ".json";
  }

  private static String hex(String digest) {
    return Digest.check(digest).substring(digest.indexOf(':') + 1);
  }
}
