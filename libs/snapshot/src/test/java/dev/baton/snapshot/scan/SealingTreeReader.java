/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A minimal capture: reads files that need reading, one chunk per file, and seals. */
final class SealingTreeReader {
  final List<String> read = new ArrayList<>();
  final List<String> sealed = new ArrayList<>();
  private final boolean trusting;

  /**
   * @param trusting whether to rely on files that were just changed
   */
  SealingTreeReader(boolean trusting) {
    this.trusting = trusting;
  }

  static SealingTreeReader of(DirState state, Path root) throws IOException {
    SealingTreeReader reader = new SealingTreeReader(false);
    reader.capture(state, root);
    return reader;
  }

  void capture(DirState state, Path root) throws IOException {
    try (OpenDirectory directory = OpenDirectory.open(root)) {
      capture(state, directory, "");
    }
  }

  private void capture(DirState state, OpenDirectory directory, String prefix) throws IOException {
    if (state.node() != null) {
      return;
    }
    StringBuilder node = new StringBuilder();
    for (int i = 0; i < state.size(); i++) {
      if (state.kind(i) == FileKind.DIRECTORY) {
        enter(state.child(i), directory, prefix, state.name(i));
      } else if (state.needsReading(i)) {
        read(state, i, directory, prefix);
      }
      if (state.isPresent(i)) {
        node.append(state.entry(i)).append('\n');
      }
    }
    sealed.add(prefix);
    state.seal(Hash.of(node.toString().getBytes(StandardCharsets.UTF_8)));
  }

  private void enter(DirState child, OpenDirectory directory, String prefix, String name)
      throws IOException {
    if (child.size() == 0) {
      if (child.node() == null) {
        sealed.add(prefix + name + "/");
        child.seal(Hash.of(new byte[0]));
      }
      return;
    }
    try (OpenDirectory entered = directory.openChild(name)) {
      capture(child, entered, prefix + name + "/");
    }
  }

  private void read(DirState state, int i, OpenDirectory directory, String prefix)
      throws IOException {
    StatBuffer stat = new StatBuffer();
    long began = System.currentTimeMillis();
    try (OpenFile file = directory.openForReading(state.name(i), stat)) {
      byte[] bytes = new byte[(int) stat.size];
      file.read(bytes, 0, bytes.length);
      read.add(prefix + state.name(i));
      FileContent content =
          bytes.length == 0
              ? FileContent.EMPTY
              : new FileContent.Inline(List.of(new Extent.Data(Hash.of(bytes), bytes.length)));
      boolean trusted = trusting || TimestampTrustPolicy.before(stat, began);
      state.learn(i, stat, FileAttributeReader.of(file), content, trusted);
    } catch (PosixException e) {
      state.skip(i);
    }
  }
}
