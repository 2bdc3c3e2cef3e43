/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryFormatPolicyTest {
  @TempDir Path folder;

  private void config(String text) throws Exception {
    Files.writeString(folder.resolve("config"), text.replace("|", "\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[core]|repositoryformatversion = 1|[extensions]|objectFormat = sha256|",
        "[core]|repositoryformatversion = 0|[extensions]|objectformat = sha256|",
        "[core]|repositoryformatversion = 1|[extensions]|objectFormat = sha1|compatObjectFormat ="
            + " sha256|",
        "[core]|repositoryformatversion = 1|[extensions]|refStorage = reftable|",
        "[core]|repositoryformatversion = 1|[extensions]|partialClone = origin|",
        "[core]|repositoryformatversion = 1|[extensions]|preciousObjects = true|",
        "[core]|repositoryformatversion = 1|[extensions]|whatComesNext = true|",
        "[core]|repositoryformatversion = 1|[extensions \"sub\"]|x = y|",
        "[core]|repositoryformatversion = 2|",
        "[core]|repositoryformatversion = x|",
        "[remote \"origin\"]|promisor = true|",
        "[remote \"origin\"]|partialclonefilter = blob:none|",
        "[core|"
      })
  void shouldRefuseWhatTheLibraryDoesNotKnow(String text) throws Exception {
    config(text);

    assertThatThrownBy(() -> RepositoryFormatPolicy.check(folder))
        .isInstanceOf(RepositoryFormatPolicy.UnsupportedFormatException.class)
        .hasMessageContaining(RepositoryFormatPolicy.SUPPORTED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[core]|repositoryformatversion = 0|bare = true|",
        "[core]|repositoryformatversion = 1|[extensions]|noop = true|objectFormat = SHA1|refStorage"
            + " = files|",
        "[core]|repositoryformatversion = 1|[extensions]|worktreeConfig = true|",
        "[remote \"origin\"]|url = x|promisor = false|"
      })
  void shouldAcceptWhatItKnows(String text) throws Exception {
    config(text);

    RepositoryFormatPolicy.check(folder);
  }

  @Test
  void shouldRefuseARepositoryThatGitMadeWithAnotherHash() throws Exception {
    assumeThat(git("init", "-q", "--bare", "--object-format=sha256", folder.toString())).isZero();

    assertThatThrownBy(() -> GitRunStore.open(folder).close())
        .isInstanceOf(RepositoryFormatPolicy.UnsupportedFormatException.class)
        .hasMessageContaining("extensions.objectformat=sha256");
    try (var refs = Files.list(folder.resolve("refs"))) {
      assertThat(refs.map(path -> path.getFileName().toString())).doesNotContain("baton");
    }
  }

  private static int git(String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
