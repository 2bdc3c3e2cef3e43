/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.files.TreeNavigator;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.TreeScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Rewrites absolute paths in a tree that was moved to another path: symbolic links, the pointers
 * and settings of git work trees, Python virtual environments, and CMake build folders. Paths
 * written by other tools are not rewritten. Sizes and contents change, times and modes do not.
 * Immutable, thread-safe; blocks.
 */
public final class TreeRelocator {
  private static final int MAX_TEXT = 1 << 20;
  private static final Set<String> OF_GIT =
      Set.of("gitdir", "commondir", "config", "config.worktree", "alternates");

  private final String from;
  private final String to;

  /**
   * The result of rewriting a tree.
   *
   * @param rewritten paths from the root, as readable text
   * @param failed paths that still point to the old location, with the reason, as readable text
   */
  public record Result(List<String> rewritten, List<String> failed) {
    public Result {
      rewritten = List.copyOf(rewritten);
      failed = List.copyOf(failed);
    }
  }

  private enum Inside {
    NOTHING,
    REPOSITORY,
    PYTHON,
    CMAKE
  }

  private record Place(String path, DirState state, Inside inside) {}

  /**
   * Rewrites paths below one directory to paths below another.
   *
   * @param from the old path of the tree, as programs see it
   * @param to its new path, as programs see it
   */
  public TreeRelocator(Path from, Path to) {
    this.from = RawName.ofPath(from.normalize());
    this.to = RawName.ofPath(to.normalize());
  }

  /**
   * Rewrites the paths in a tree; no other process may change the tree at the same time.
   *
   * @throws IOException if the root cannot be read
   */
  public Result apply(Path root) throws IOException, InterruptedException {
    List<String> rewritten = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    if (from.equals(to)) {
      return new Result(rewritten, failed);
    }
    Deque<Place> pending = new ArrayDeque<>();
    pending.push(new Place("", TreeScanner.ofEverything().scan(root, null).root(), Inside.NOTHING));
    try (TreeNavigator tree = TreeNavigator.of(root.toRealPath())) {
      while (!pending.isEmpty()) {
        Place place = pending.pop();
        DirState state = place.state;
        Inside inside = inside(place);
        for (int i = 0; i < state.size(); i++) {
          String path = place.path.isEmpty() ? state.name(i) : place.path + "/" + state.name(i);
          if (state.kind(i) == FileKind.DIRECTORY) {
            pending.push(new Place(path, state.child(i), inside));
            continue;
          }
          try {
            if (isChanged(tree, place, state, i, inside)) {
              rewritten.add(RawName.display(path));
            }
          } catch (IOException e) {
            failed.add(RawName.display(path) + " (" + e.getMessage() + ")");
          }
        }
      }
    }
    return new Result(rewritten, failed);
  }

  private static Inside inside(Place place) {
    if (place.path.equals(".git") || place.path.endsWith("/.git") || isRepository(place.state)) {
      return Inside.REPOSITORY;
    }
    if (has(place.state, "pyvenv.cfg")) {
      return Inside.PYTHON;
    }
    return has(place.state, "CMakeCache.txt") ? Inside.CMAKE : place.inside;
  }

  private static boolean isRepository(DirState state) {
    return has(state, "HEAD") && has(state, "objects") && has(state, "refs");
  }

  private static boolean has(DirState state, String name) {
    int low = 0;
    int high = state.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = state.name(middle).compareTo(name);
      if (order == 0) {
        return true;
      }
      low = order < 0 ? middle + 1 : low;
      high = order < 0 ? high : middle - 1;
    }
    return false;
  }

  private boolean isChanged(TreeNavigator tree, Place place, DirState state, int i, Inside inside)
      throws IOException {
    String name = state.name(i);
    return switch (state.kind(i)) {
      case SYMLINK -> {
        String target = moved(state.target(i));
        if (target.equals(state.target(i))) {
          yield false;
        }
        relink(tree.in(place.path), name, target);
        yield true;
      }
      case FILE ->
          state.length(i) <= MAX_TEXT
              && mayHavePaths(place.path, name, inside)
              && isRewritten(tree.in(place.path), name);
      case DIRECTORY, OTHER, UNKNOWN -> false;
    };
  }

  private static boolean mayHavePaths(String path, String name, Inside inside) {
    return switch (inside) {
      case NOTHING -> name.equals(".git");
      case REPOSITORY -> name.equals(".git") || OF_GIT.contains(name);
      case PYTHON ->
          name.equals("pyvenv.cfg")
              || name.endsWith(".pth")
              || name.endsWith(".egg-link")
              || path.endsWith("/bin")
              || path.equals("bin");
      case CMAKE -> true;
    };
  }

  private static void relink(OpenDirectory in, String name, String target) throws IOException {
    StatBuffer stat = new StatBuffer();
    in.stat(name, stat);
    String fresh = ".baton-link";
    in.symlink(fresh, target);
    in.rename(fresh, in, name);
    in.setModified(name, stat.mtimeSeconds, stat.mtimeNanos);
  }

  private boolean isRewritten(OpenDirectory in, String name) throws IOException {
    StatBuffer stat = new StatBuffer();
    byte[] bytes;
    try (OpenFile file = in.openForReading(name, stat)) {
      bytes = new byte[(int) Math.min(stat.size, MAX_TEXT)];
      file.read(bytes, 0, bytes.length);
    }
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    String moved = moved(text);
    if (moved.equals(text) || text.indexOf('\0') >= 0) {
      return false;
    }
    byte[] now = moved.getBytes(StandardCharsets.ISO_8859_1);
    try (OpenFile file = in.openForWriting(name)) {
      file.write(now, 0, now.length);
      file.truncate(now.length);
    }
    in.setModified(name, stat.mtimeSeconds, stat.mtimeNanos);
    return true;
  }

  /** Replaces paths below the old directory by paths below the new one. */
  String moved(String text) {
    int at = text.indexOf(from);
    if (at < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder();
    int done = 0;
    for (; at >= 0; at = text.indexOf(from, at + from.length())) {
      int end = at + from.length();
      if (end == text.length() || !isOfAName(text.charAt(end))) {
        out.append(text, done, at).append(to);
        done = end;
      }
    }
    return out.append(text, done, text.length()).toString();
  }

  private static boolean isOfAName(char c) {
    return Character.isLetterOrDigit(c) || "._-+~@".indexOf(c) >= 0 || c > 127;
  }
}
