/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GitRunStoreTest {
  private static final String RUN = "01jabcdefghjkmnpqrstvwxyz0";

  @TempDir Path folder;

  @Test
  void shouldReadTheFilesThatWereWritten() throws Exception {
    SortedMap<String, ArchiveFileContent> files = new TreeMap<>();
    files.put(ArchivePaths.MANIFEST, bytes("{}"));
    files.put(ArchivePaths.blob("sha256:" + "ab".repeat(32)), bytes("b"));
    files.put(ArchivePaths.pack("sha256:" + "cd".repeat(32)), bytes("p"));
    files.put(ArchivePaths.checkpoint("c1"), bytes("c"));
    GitRunStore.create(folder);
    try (GitRunStore store = GitRunStore.open(folder)) {
      store.write(RUN, null, files, "first", Instant.EPOCH);

      assertThat(store.find(RUN).orElseThrow().files()).containsOnlyKeys(files.keySet());
    }
  }

  /** 10^20 paths in 20 objects. */
  @Test
  @Timeout(60)
  void shouldNotEnterNestedTrees() throws Exception {
    commit(
        inserter -> {
          ObjectId tree = inserter.insert(Constants.OBJ_BLOB, new byte[0]);
          FileMode mode = FileMode.REGULAR_FILE;
          for (int level = 0; level < 20; level++) {
            TreeFormatter ten = new TreeFormatter();
            for (char name = '0'; name <= '9'; name++) {
              ten.append(String.valueOf(name), mode, tree);
            }
            tree = inserter.insert(ten);
            mode = FileMode.TREE;
          }
          TreeFormatter root = new TreeFormatter();
          for (String name : new String[] {"blobs", "checkpoints", "else", "packs"}) {
            root.append(name, FileMode.TREE, tree);
          }
          return inserter.insert(root);
        });
    try (GitRunStore store = GitRunStore.open(folder)) {
      assertThat(store.find(RUN).orElseThrow().files()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"50001, more than 50000 files", "1000000, a folder is too large"})
  void shouldRefuseMoreFilesThanItListsInMemory(int files, String reason) throws Exception {
    commit(
        inserter -> {
          ObjectId blob = inserter.insert(Constants.OBJ_BLOB, new byte[0]);
          TreeFormatter many = new TreeFormatter();
          for (int i = 0; i < files; i++) {
            many.append("%07d".formatted(i), FileMode.REGULAR_FILE, blob);
          }
          return inserter.insert(many);
        });
    try (GitRunStore store = GitRunStore.open(folder)) {
      assertThatThrownBy(() -> store.find(RUN))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(reason);
    }
  }

  private interface TreeSource {
    ObjectId insert(ObjectInserter inserter) throws IOException;
  }

  private void commit(TreeSource tree) throws IOException {
    GitRunStore.create(folder);
    try (Repository repository =
            new FileRepositoryBuilder().setGitDir(folder.toFile()).setMustExist(true).build();
        ObjectInserter inserter = repository.newObjectInserter()) {
      CommitBuilder commit = new CommitBuilder();
      PersonIdent author = new PersonIdent("a", "a@example.org", Instant.EPOCH, ZoneOffset.UTC);
      commit.setAuthor(author);
      commit.setCommitter(author);
      commit.setTreeId(tree.insert(inserter));
      ObjectId id = inserter.insert(commit);
      inserter.flush();
      RefUpdate update = repository.updateRef(GitRunStore.PREFIX + RUN);
      update.setNewObjectId(id);
      assertThat(update.update()).isEqualTo(RefUpdate.Result.NEW);
    }
  }

  private static ArchiveFileContent bytes(String text) {
    return new ArchiveFileContent.Bytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
