/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.errors.GitAPIException;
import org.eclipse.jgit.dircache.DirCache;
import org.eclipse.jgit.dircache.DirCacheBuilder;
import org.eclipse.jgit.dircache.DirCacheEntry;
import org.eclipse.jgit.errors.LargeObjectException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryCache;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.util.FS;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the refs {@code refs/baton/runs/<run>} of one repository. Does not change other
 * refs, HEAD, the index or the working tree. Blocks. Within this process it supports one writer and
 * any number of readers; a concurrent write by another process is detected by the ref's old value.
 */
final class GitRunStore implements AutoCloseable {
  static final String PREFIX = "refs/baton/runs/";

  /** Maximum number of files of a run: they are listed in memory, and a folder is one object. */
  static final int MAX_FILES = 50_000;

  private static final String WHO = "Baton";
  private static final String ADDRESS = "baton@localhost";

  /**
   * A run's newest commit.
   *
   * @param files of its tree, by path
   */
  record Archived(String run, String commit, Instant at, SortedMap<String, ObjectId> files) {}

  /** A run and the commit of its ref. */
  record Pointer(String run, ObjectId commit) {}

  private final Repository repository;

  private GitRunStore(Repository repository) {
    this.repository = repository;
  }

  /**
   * Opens the repository in the folder or in its {@code .git}.
   *
   * @throws RepositoryNotFoundException if the folder is not a repository or does not exist
   * @throws RepositoryFormatPolicy.UnsupportedFormatException if its format is not supported
   */
  static GitRunStore open(Path folder) throws IOException {
    IsolatedGitSystemReader.use();
    var found = RepositoryCache.FileKey.resolve(folder.toFile(), FS.DETECTED);
    if (found == null) {
      throw new RepositoryNotFoundException(folder.toFile());
    }
    RepositoryFormatPolicy.check(found.toPath());
    return new GitRunStore(
        durable(new FileRepositoryBuilder().setGitDir(found).setMustExist(true)));
  }

  /** Creates a bare repository if the folder is absent or empty. False otherwise. */
  static boolean create(Path folder) throws IOException {
    IsolatedGitSystemReader.use();
    if (Files.exists(folder)) {
      if (!Files.isDirectory(folder)) {
        return false;
      }
      try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
        if (inside.iterator().hasNext()) {
          return false;
        }
      }
    }
    try (Repository made =
        new FileRepositoryBuilder().setBare().setGitDir(folder.toFile()).build()) {
      made.create(true);
    }
    return true;
  }

  /** Changes the configuration in memory only: the repository's own settings are not written. */
  private static Repository durable(FileRepositoryBuilder builder) throws IOException {
    Repository repository = builder.build();
    StoredConfig config = repository.getConfig();
    // A run that is marked as archived must survive a crash of the machine.
    config.setBoolean(ConfigConstants.CONFIG_CORE_SECTION, null, "fsyncobjectfiles", true);
    config.setBoolean(ConfigConstants.CONFIG_CORE_SECTION, null, "fsyncreffiles", true);
    return repository;
  }

  Path folder() {
    return repository.getDirectory().toPath();
  }

  boolean isBare() {
    return repository.isBare();
  }

  /** All runs, newest first. */
  List<Pointer> runs() throws IOException {
    List<Pointer> runs = new ArrayList<>();
    for (Ref ref : repository.getRefDatabase().getRefsByPrefix(PREFIX)) {
      ObjectId commit = ref.getObjectId();
      if (commit != null) {
        runs.add(new Pointer(ref.getName().substring(PREFIX.length()), commit));
      }
    }
    runs.sort(Comparator.comparing(Pointer::run).reversed());
    return runs;
  }

  /** Returns the run's newest commit; empty if the ref does not exist. */
  Optional<Archived> find(String run) throws IOException {
    Ref ref = repository.exactRef(PREFIX + run);
    ObjectId commit = ref == null ? null : ref.getObjectId();
    return commit == null ? Optional.empty() : Optional.of(read(new Pointer(run, commit)));
  }

  /**
   * Lists the files of a run. Does not enter folders in which Baton writes none: a repository may
   * come from elsewhere, and a few nested trees of a few kilobytes name billions of paths.
   *
   * @throws IOException also if there are more than {@link #MAX_FILES}
   */
  Archived read(Pointer pointer) throws IOException {
    try (RevWalk walk = new RevWalk(repository);
        TreeWalk tree = new TreeWalk(repository)) {
      RevCommit commit = walk.parseCommit(pointer.commit());
      SortedMap<String, ObjectId> files = new TreeMap<>();
      tree.addTree(commit.getTree());
      while (tree.next()) {
        if (tree.isSubtree()) {
          if (tree.getDepth() == 0 && ArchivePaths.isFolder(tree.getNameString())) {
            tree.enterSubtree();
          }
        } else if (FileMode.REGULAR_FILE.equals(tree.getFileMode(0))) {
          if (files.size() == MAX_FILES) {
            throw tooMany(pointer.run());
          }
          files.put(tree.getPathString(), tree.getObjectId(0));
        }
      }
      return new Archived(
          pointer.run(), commit.getName(), Instant.ofEpochSecond(commit.getCommitTime()), files);
    } catch (LargeObjectException e) {
      throw new IOException(PREFIX + pointer.run() + ": a folder is too large to be listed", e);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      // JGit's parsers trust the form of commits and trees.
      throw new IOException(PREFIX + pointer.run() + ": a damaged commit or folder", e);
    }
  }

  private static IOException tooMany(String run) {
    return new IOException(
        PREFIX + run + ": more than " + MAX_FILES + " files, the limit of an archived run");
  }

  /** Opens a blob; the caller must close the stream. */
  InputStream open(ObjectId blob) throws IOException {
    return repository.open(blob, Constants.OBJ_BLOB).openStream();
  }

  long size(ObjectId blob) throws IOException {
    return repository.open(blob, Constants.OBJ_BLOB).getSize();
  }

  /**
   * Adds a commit to the run's ref, unless the last commit has the same files.
   *
   * @param last the commit that the ref points to; null if there is none yet
   * @return the commit; empty if nothing has changed
   * @throws IOException also if another process has moved the ref in the meantime
   */
  Optional<String> write(
      String run,
      @Nullable Archived last,
      SortedMap<String, ArchiveFileContent> files,
      String message,
      Instant at)
      throws IOException {
    if (files.size() > MAX_FILES) {
      throw tooMany(run);
    }
    try (ObjectInserter inserter = repository.newObjectInserter();
        RevWalk walk = new RevWalk(repository)) {
      ObjectId parent = last == null ? null : ObjectId.fromString(last.commit());
      ObjectId tree = tree(inserter, files);
      if (parent != null && walk.parseCommit(parent).getTree().equals(tree)) {
        return Optional.empty();
      }
      CommitBuilder commit = new CommitBuilder();
      PersonIdent who = new PersonIdent(WHO, ADDRESS, at, java.time.ZoneOffset.UTC);
      commit.setTreeId(tree);
      if (parent != null) {
        commit.setParentId(parent);
      }
      commit.setAuthor(who);
      commit.setCommitter(who);
      commit.setMessage(message);
      ObjectId made = inserter.insert(commit);
      inserter.flush();
      RefUpdate update = repository.updateRef(PREFIX + run);
      update.setExpectedOldObjectId(parent == null ? ObjectId.zeroId() : parent);
      update.setNewObjectId(made);
      update.disableRefLog();
      RefUpdate.Result result = update.update(walk);
      if (result != RefUpdate.Result.NEW && result != RefUpdate.Result.FAST_FORWARD) {
        throw new IOException(PREFIX + run + " could not be moved: " + result);
      }
      return Optional.of(made.getName());
    }
  }

  private static ObjectId tree(ObjectInserter inserter, Map<String, ArchiveFileContent> files)
      throws IOException {
    DirCache index = DirCache.newInCore();
    DirCacheBuilder builder = index.builder();
    for (Map.Entry<String, ArchiveFileContent> file : files.entrySet()) {
      DirCacheEntry entry = new DirCacheEntry(file.getKey());
      entry.setFileMode(FileMode.REGULAR_FILE);
      entry.setObjectId(
          switch (file.getValue()) {
            case ArchiveFileContent.Bytes(byte[] bytes) ->
                inserter.insert(Constants.OBJ_BLOB, bytes);
            case ArchiveFileContent.Kept(ObjectId blob) -> blob;
            case ArchiveFileContent.Stream stream -> {
              try (InputStream in = stream.source().open()) {
                yield inserter.insert(Constants.OBJ_BLOB, stream.length(), in);
              }
            }
          });
      builder.add(entry);
    }
    builder.finish();
    return index.writeTree(inserter);
  }

  /** Deletes the run's ref. False if it did not exist. */
  boolean delete(String run) throws IOException {
    if (repository.exactRef(PREFIX + run) == null) {
      return false;
    }
    RefUpdate update = repository.updateRef(PREFIX + run);
    update.setForceUpdate(true);
    update.disableRefLog();
    RefUpdate.Result result = update.delete();
    if (result != RefUpdate.Result.FORCED && result != RefUpdate.Result.NEW) {
      throw new IOException(PREFIX + run + " could not be deleted: " + result);
    }
    return true;
  }

  /**
   * Runs the garbage collection of the repository.
   *
   * @param expired prunes unreachable objects older than this; null for the repository's own
   *     configuration
   */
  void collect(@Nullable Instant expired) throws IOException {
    StoredConfig config = repository.getConfig();
    if (expired != null) {
      config.setString(ConfigConstants.CONFIG_GC_SECTION, null, "prunepackexpire", "now");
    }
    try (Git git = Git.wrap(repository)) {
      var collection = git.gc();
      if (expired != null) {
        collection.setExpire(expired);
      }
      collection.call();
    } catch (GitAPIException e) {
      throw new IOException("git gc of " + folder() + ": " + e.getMessage(), e);
    } finally {
      if (expired != null) {
        config.unset(ConfigConstants.CONFIG_GC_SECTION, null, "prunepackexpire");
      }
    }
  }

  @Override
  public void close() {
    repository.close();
  }
}
