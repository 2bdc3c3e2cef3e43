/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.fuzz.FuzzAssert;
import dev.baton.fuzz.ScratchFolder;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;

/** Lines of an archived trace, manifests, settings of a repository and its objects. */
public final class ArchiveFuzzer {
  private static final String RUN = "01arz3ndektsv4rrffq69g5fav";

  private ArchiveFuzzer() {}

  public static void lines(byte[] input) {
    ByteArrayInputStream in = new ByteArrayInputStream(input);
    try {
      for (byte[] line = TraceLineCodec.next(in); line != null; line = TraceLineCodec.next(in)) {
        TraceLineCodec.Line read = TraceLineCodec.read(line);
        FuzzAssert.require(Json.tree(read.data()).isObject(), "data is an object");
      }
    } catch (IOException rejected) {
      // The import names the reason.
    }
  }

  public static void manifest(byte[] input) {
    try {
      RunManifest manifest = Json.mapper().readValue(input, RunManifest.class);
      FuzzAssert.require(manifest == null || manifest.checkpoints() != null, "has lists");
    } catch (IOException rejected) {
      // Not a manifest.
    }
  }

  public static void settings(byte[] input) throws IOException {
    Path repository = ScratchFolder.empty("settings");
    Files.write(repository.resolve("config"), input);
    try {
      RepositoryFormatPolicy.check(repository);
    } catch (RepositoryFormatPolicy.UnsupportedFormatException rejected) {
      // Names what is not supported.
    }
  }

  /** The first byte decides: the tree, or the commit, has the other bytes as its content. */
  public static void objects(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    Path folder = ScratchFolder.empty("archive");
    GitRunStore.create(folder);
    byte[] content = java.util.Arrays.copyOfRange(input, 1, input.length);
    ObjectId commit;
    try (Repository repository = new FileRepositoryBuilder().setGitDir(folder.toFile()).build();
        ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId tree = inserter.insert(Constants.OBJ_TREE, input[0] == 't' ? content : new byte[0]);
      commit =
          inserter.insert(
              Constants.OBJ_COMMIT, input[0] == 't' ? commitOf(tree).getBytes(UTF_8) : content);
      inserter.flush();
    }
    Files.writeString(
        Files.createDirectories(folder.resolve("refs/baton/runs")).resolve(RUN),
        commit.name() + "\n");
    try (GitRunStore store = GitRunStore.open(folder)) {
      for (GitRunStore.Pointer pointer : store.runs()) {
        GitRunStore.Archived run = store.read(pointer);
        FuzzAssert.require(run.files().size() <= GitRunStore.MAX_FILES, "bounded");
      }
    } catch (IOException rejected) {
      // The run is left out, with the reason.
    }
  }

  private static String commitOf(ObjectId tree) {
    return "tree %s\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nm\n"
        .formatted(tree.name());
  }
}
