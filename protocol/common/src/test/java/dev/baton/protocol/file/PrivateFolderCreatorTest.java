/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderCreatorTest {
  @TempDir Path folder;

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private Path existing(String permissions) throws IOException {
    Path existing = Files.createDirectory(folder.resolve("existing"));
    return Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void shouldCreateAFolderForItsOwnerOnly() throws IOException {
    Path created = PrivateFolderCreator.create(folder.resolve("parent/created"));

    assertThat(permissions(created)).isEqualTo("rwx------");
    assertThat(permissions(folder.resolve("parent"))).startsWith("rwxr");
  }

  @Test
  void shouldKeepThePermissionsOfAnExistingFolderUnlessItIsToBeRestricted() throws IOException {
    Path existing = existing("rwxr-xr-x");

    PrivateFolderCreator.create(existing);
    assertThat(permissions(existing)).isEqualTo("rwxr-xr-x");
    PrivateFolderCreator.createOrRestrict(existing);
    assertThat(permissions(existing)).isEqualTo("rwx------");
  }

  @Test
  void shouldTakeThePermissionToWriteFromOthers() throws IOException {
    Path existing = existing("rwxrwxrwx");
    Files.createDirectory(existing.resolve("entry"));

    PrivateFolderCreator.requireTrusted(existing);

    assertThat(permissions(existing)).isEqualTo("rwxr-xr-x");
  }

  @Test
  void shouldNotTrustWhatAnotherUserHasCreated() throws IOException {
    Path existing = existing("rwxr-xr-x");
    Path entry = Files.createDirectory(existing.resolve("entry"));
    assumeTrue(
        Integer.valueOf(0).equals(Files.getAttribute(entry, "unix:uid")),
        "only root can change an owner");
    Files.setAttribute(entry, "unix:uid", 12_345);

    assertThatThrownBy(() -> PrivateFolderCreator.requireTrusted(existing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(entry.toString())
        .hasMessageContaining("12345");
  }
}
