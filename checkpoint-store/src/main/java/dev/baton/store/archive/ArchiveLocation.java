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

/** The location of the archive, if it is configured. Thread-safe. */
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
   * Opens the repository; creates it if the folder is absent or empty. The caller must close it.
   * Blocks.
   *
   * @throws StoreRequestException UNAVAILABLE if it cannot be opened
   */
  GitRunStore open() {
    Path at = folder.orElseThrow();
    try {
      return find(at);
    } catch (RepositoryNotFoundException e) {
      throw StoreRequestException.unavailable(
          "baton.archive.git=%s is not a git repository; allowed: one, bare or not, or a folder that is empty or absent"
              .formatted(at));
    } catch (RepositoryFormatPolicy.UnsupportedFormatException e) {
      throw StoreRequestException.unavailable(unsupported(e));
    } catch (IOException e) {
      throw StoreRequestException.unavailable(
          "the git repository at baton.archive.git=%s cannot be opened: %s".formatted(at, e));
    }
  }

  /**
   * Rejects a repository whose format is not supported. Accepts one that is absent or cannot be
   * read yet. Blocks; for use at start.
   *
   * @throws IllegalStateException that names what is supported
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
      LOG.warnf("created a bare git repository at %s, since none existed", at);
      return GitRunStore.open(at);
    }
  }
}
