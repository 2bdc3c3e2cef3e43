/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.FileContentScanner;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.posix.RawName;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Keeps files that contain the values of secrets out of the checkpoints of a run. */
public final class SecretFileGuard {
  /** For runs without secrets. */
  public static final SecretFileGuard NONE =
      new SecretFileGuard(new SecretMasker(), SecretCheckpointPolicy.ALLOW);

  private final SecretMasker masker;
  private final SecretCheckpointPolicy policy;

  public SecretFileGuard(SecretMasker masker, SecretCheckpointPolicy policy) {
    this.masker = masker;
    this.policy = policy;
  }

  /** Returns what searches the files of a capture. */
  public FileContentScanner scanner() {
    return policy == SecretCheckpointPolicy.ALLOW ? FileContentScanner.NONE : masker::scan;
  }

  /**
   * Returns the raw paths that a capture has left out: by its rules, and for their secrets. The
   * latter are like the former: they stay where they are, and other runners lack them.
   *
   * @throws IOException when a checkpoint must not be created without them; the message names one
   */
  public List<String> leftOut(CapturedTree captured) throws IOException {
    List<String> paths =
        captured.skipped().stream()
            .filter(entry -> entry.reason() == SkippedEntry.Reason.CONTENT_REFUSED)
            .map(SkippedEntry::path)
            .toList();
    if (!paths.isEmpty() && policy == SecretCheckpointPolicy.REFUSE) {
      throw new IOException(
          "the file '%s' contains the value of a secret (baton.secrets.checkpoint is refuse)%s"
              .formatted(
                  paths.getFirst(),
                  paths.size() == 1 ? "" : "; so do %d others".formatted(paths.size() - 1)));
    }
    return Stream.concat(captured.leftOut().stream(), paths.stream().map(RawName::of)).toList();
  }
}
