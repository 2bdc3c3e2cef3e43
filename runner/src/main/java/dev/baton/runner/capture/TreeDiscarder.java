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

/** Takes trees that nobody wants out of the way. */
final class TreeDiscarder {
  private static final Logger LOG = Logger.getLogger(TreeDiscarder.class);
  private static final String KEPT = ".baton-kept-";
  private static final String DISCARDED = ".discarded-";

  /** Those, and what copies and restores leave beside a tree when their process is killed. */
  private static final String LEFT = "{.discarded-,.baton-kept-,.baton-new-,.baton-old-}*";

  private static final Duration DELAY = Duration.ofSeconds(5);

  /**
   * Nothing of this process is older. A file system's clock may be some milliseconds behind; nobody
   * makes anything here that early.
   */
  private static final FileTime BEGUN = FileTime.from(Instant.now().minusMillis(50));

  private static final ScheduledThreadPoolExecutor REMOVER =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("discard").unstarted(task));

  private TreeDiscarder() {}

  /**
   * Takes the tree out of the way at once and removes it some seconds later: whoever restores
   * another in its place needs disk and processor for that first. What killed processes left in its
   * folder goes with it. A root that is a file or a link is taken away like any other.
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

  /** Where what a tree keeps waits while another takes its place; also removed in the end. */
  static Path keptBeside(Path root) {
    return root.resolveSibling(KEPT + UUID.randomUUID());
  }

  private static void setAside(Path tree, Path folder) throws IOException {
    // Within its folder: a directory that its owner may not write to cannot change its parent.
    Path aside = folder.resolve(DISCARDED + UUID.randomUUID());
    Files.move(tree, aside, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * What other branches of the run have under way now is in the same folder, and stays.
   *
   * @return whether there is something to be removed, also from before
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
      LOG.debugf("%s: nothing there, or gone meanwhile: %s", folder, e.getMessage());
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warnf("what a killed process left in %s stays there: %s", folder, e);
    }
    return any;
  }

  /** By the change time: a restored tree has the modification time that it was stored with. */
  private static boolean isOfAnEarlierProcess(Path path) throws IOException {
    FileTime changed = (FileTime) Files.getAttribute(path, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
    return changed.compareTo(BEGUN) < 0;
  }

  /** What is left goes the next time. */
  static void deleteDiscarded(Path folder) {
    try (DirectoryStream<Path> discarded = Files.newDirectoryStream(folder, DISCARDED + "*")) {
      for (Path path : discarded) {
        delete(path);
      }
    } catch (NoSuchFileException e) {
      LOG.debugf("%s is gone, and all in it", folder);
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warnf("what was discarded in %s is left behind: %s", folder, e);
    }
  }

  private static void delete(Path path) {
    try {
      TreeDeleter.deleteFully(path);
    } catch (IOException e) {
      LOG.warnf("left behind: %s", e.getMessage());
    }
  }
}
