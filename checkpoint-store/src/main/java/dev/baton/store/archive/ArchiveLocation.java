/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreRequestException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jboss.logging.Logger;

/** Where the archive is, if there is one. Thread-safe. */
@ApplicationScoped
class ArchiveLocation {
  private static final Logger LOG = Logger.getLogger(ArchiveLocation.class);

  private final Optional<Path> folder;

  ArchiveLocation(StoreConfig config) {
    folder = config.archive().git();
  }

  boolean isConfigured() {
    return folder.isPresent();
  }

  /**
   * The repository, made where there is nothing yet. To be closed. Blocks.
   *
   * @throws StoreRequestException UNAVAILABLE where it cannot be opened
   */
  GitRunStore open() {
    Path at = folder.orElseThrow();
    try {
      return find(at);
    } catch (RepositoryNotFoundException e) {
      throw StoreRequestException.unavailable(
          "baton.archive.git=%s is no git repository; allowed: one, bare or not, or a folder that is empty or absent"
              .formatted(at));
    } catch (RepositoryFormatPolicy.UnsupportedFormatException e) {
      throw StoreRequestException.unavailable(unsupported(e));
    } catch (IOException e) {
      throw StoreRequestException.unavailable(
          "the git repository at baton.archive.git=%s cannot be opened: %s".formatted(at, e));
    }
  }

  /**
   * Refuses a repository of a format that is not supported. One that is absent, or cannot be read
   * now, may come later. Blocks; for the start.
   *
   * @throws IllegalStateException that says what is supported
   */
  void requireSupported() {
    if (folder.isEmpty()) {
      return;
    }
    try (GitRunStore git = GitRunStore.open(folder.get())) {
      LOG.debugf("the archive is the git repository %s", git.folder());
    } catch (RepositoryFormatPolicy.UnsupportedFormatException e) {
      throw new IllegalStateException(unsupported(e), e);
    } catch (IOException later) {
      LOG.debugf("the archive cannot be opened yet: %s", later);
    }
  }

  private static String unsupported(RepositoryFormatPolicy.UnsupportedFormatException e) {
    return "baton.archive.git: nothing is written into a repository of this format: "
        + e.getMessage();
  }

  private static GitRunStore find(Path at) throws IOException {
    try {
      return GitRunStore.open(at);
    } catch (RepositoryNotFoundException e) {
      if (!GitRunStore.create(at)) {
        throw e;
      }
      LOG.warnf("there was no git repository at %s: a bare one was made there", at);
      return GitRunStore.open(at);
    }
  }
}
