/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Moves trees that are no longer needed aside and deletes them later. */
final class TreeDiscarder {
  private static final Logger LOG = Logger.getLogger(TreeDiscarder.class);
  private static final String KEPT = ".baton-kept-";
  private static final String DISCARDED = ".discarded-";

  /**
   * These trees, and what copies and restores leave next to a tree when their process is killed.
   */
  private static final String LEFT = "{.discarded-,.baton-kept-,.baton-new-,.baton-old-}*";

  private static final Duration DELAY = Duration.ofSeconds(5);

  /**
   * No file of this process is older. The clock of a file system may be some milliseconds behind;
   * this process creates no files that early.
   */
  private static final FileTime BEGUN = FileTime.from(Instant.now().minusMillis(50));

  private static final ScheduledThreadPoolExecutor REMOVER =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("discard").unstarted(task));

  private TreeDiscarder() {}

  /**
   * Moves the tree aside at once and deletes it some seconds later, because a restore in its place
   * needs the disk and the CPU first. Also moves aside what killed processes left in its folder.
   * Accepts a root that is a file or a link.
   */
  static void discard(Path root) throws IOException {
    Path folder = root.toAbsolutePath().getParent();
    if (folder == null) {
      return;
    }
    boolean any = setAsideUnfinished(folder);
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      setAside(root, folder);
      any = true;
    }
    if (any) {
      REMOVER.schedule(() -> deleteDiscarded(folder), DELAY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Returns a path for files that are kept while another tree replaces theirs; deleted in the end,
   * too.
   */
  static Path keptBeside(Path root) {
    return root.resolveSibling(KEPT + UUID.randomUUID());
  }

  private static void setAside(Path tree, Path folder) throws IOException {
    // Within its folder: a directory that is not writable by its owner cannot change its parent.
    Path aside = folder.resolve(DISCARDED + UUID.randomUUID());
    Files.move(tree, aside, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Moves aside what earlier processes left unfinished. Files that other branches of the run are
   * writing now are in the same folder, and stay.
   *
   * @return whether there are files to delete, also from earlier calls
   */
  private static boolean setAsideUnfinished(Path folder) {
    boolean any = false;
    try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, LEFT)) {
      for (Path path : left) {
        if (path.getFileName().toString().startsWith(DISCARDED)) {
          any = true;
        } else if (isOfAnEarlierProcess(path)) {
          setAside(path, folder);
          any = true;
        }
      }
    } catch (NoSuchFileException e) {
      LOG.debugf("%s: does not exist, or was deleted meanwhile: %s", folder, e.getMessage());
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warnf("cleanup of %s: files of a killed process stay there: %s", folder, e);
    }
    return any;
  }

  /**
   * Compares the change time: a restored tree has the modification time with which it was stored.
   */
  private static boolean isOfAnEarlierProcess(Path path) throws IOException {
    FileTime changed = (FileTime) Files.getAttribute(path, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
    return changed.compareTo(BEGUN) < 0;
  }

  /** Deletes discarded trees; what cannot be deleted is retried by the next call. */
  static void deleteDiscarded(Path folder) {
    try (DirectoryStream<Path> discarded = Files.newDirectoryStream(folder, DISCARDED + "*")) {
      for (Path path : discarded) {
        delete(path);
      }
    } catch (NoSuchFileException e) {
      LOG.debugf("%s was deleted with all its files", folder);
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warnf("cleanup of %s: discarded files stay until the next cleanup: %s", folder, e);
    }
  }

  private static void delete(Path path) {
    try {
      TreeDeleter.deleteFully(path);
    } catch (IOException e) {
      LOG.warnf("cleanup: not deleted: %s", e.getMessage());
    }
  }
}
