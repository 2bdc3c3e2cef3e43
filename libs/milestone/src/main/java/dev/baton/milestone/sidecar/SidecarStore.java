/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.sidecar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Stores the sidecars of a work tree: {@code .baton/checkpoints/<sha>.json}, with an {@code
 * index.json} in the same directory. Supports one writer at a time; readers see only complete
 * files.
 */
public final class SidecarStore {
  private static final String ENDING = ".json";
  private static final int MAX_BYTES = 1 << 20;

  private final Path root;
  private final Path folder;

  /** The tool that owns the sidecars. */
  public enum Format {
    BATON(".baton"),
    /** Runr, the earlier tool; read, never written. */
    RUNR(".runr");

    private final String directory;

    Format(String directory) {
      this.directory = directory;
    }

    public String word() {
      return directory.substring(1);
    }
  }

  /**
   * A file with a sidecar's place and name that is not a valid sidecar.
   *
   * @param reason one line
   */
  public record Malformed(String file, String reason) {}

  /**
   * The content of the directory.
   *
   * @param sidecars ordered by run and milestone
   * @param leftovers names of temporary files of writers that were killed
   */
  public record Listing(
      List<MilestoneSidecar> sidecars, List<Malformed> malformed, List<String> leftovers) {
    public Listing {
      sidecars = List.copyOf(sidecars);
      malformed = List.copyOf(malformed);
      leftovers = List.copyOf(leftovers);
    }

    /** Returns a run's sidecars, in the order of its milestones. */
    public List<MilestoneSidecar> of(String run) {
      return sidecars.stream().filter(sidecar -> sidecar.runId().equals(run)).toList();
    }

    /** Returns the run's newest milestone. */
    public Optional<MilestoneSidecar> latest(String run) {
      List<MilestoneSidecar> ofRun = of(run);
      return ofRun.isEmpty() ? Optional.empty() : Optional.of(ofRun.getLast());
    }

    /** Returns the runs that have sidecars. */
    public List<String> runs() {
      return sidecars.stream().map(MilestoneSidecar::runId).distinct().toList();
    }
  }

  public SidecarStore(Path root, Format format) {
    this.root = root;
    this.folder = root.resolve(format.directory).resolve("checkpoints");
  }

  public Path folder() {
    return folder;
  }

  public boolean exist() {
    return Files.isDirectory(folder);
  }

  /**
   * Writes a sidecar, then its index entry. Both are durable when this returns.
   *
   * @throws IOException when the sidecar cannot be written; then the index has no entry for it
   */
  public Path write(MilestoneSidecar sidecar) throws IOException {
    Files.createDirectories(folder);
    checkWithin();
    Path file = folder.resolve(sidecar.sha() + ENDING);
    AtomicFileWriter.write(file, SidecarCodec.write(sidecar));
    new SidecarIndex(folder).add(sidecar, this);
    return file;
  }

  /**
   * Rejects a directory that a link leads out of the work tree: nothing is written or removed
   * there.
   */
  private void checkWithin() throws IOException {
    if (!folder.toRealPath().startsWith(root.toRealPath())) {
      throw new IOException("'" + folder + "' leads out of the work tree: remove the link");
    }
  }

  /**
   * Lists all sidecars; empty where the directory is missing. Malformed files are listed, not
   * thrown.
   */
  public Listing list() throws IOException {
    if (!exist()) {
      return new Listing(List.of(), List.of(), List.of());
    }
    List<MilestoneSidecar> sidecars = new ArrayList<>();
    List<Malformed> malformed = new ArrayList<>();
    List<String> leftovers = new ArrayList<>();
    for (Path file : files()) {
      String name = file.getFileName().toString();
      if (name.endsWith(AtomicFileWriter.LEFTOVER)) {
        leftovers.add(name);
      } else if (name.endsWith(ENDING) && !name.equals(SidecarIndex.NAME)) {
        try {
          sidecars.add(read(file, name.substring(0, name.length() - ENDING.length())));
        } catch (IOException | IllegalArgumentException e) {
          malformed.add(new Malformed(name, String.valueOf(e.getMessage())));
        }
      }
    }
    sidecars.sort(
        Comparator.comparing(MilestoneSidecar::runId)
            .thenComparingInt(MilestoneSidecar::milestoneIndex)
            .thenComparing(MilestoneSidecar::sha));
    return new Listing(sidecars, malformed, leftovers);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private static MilestoneSidecar read(Path file, String sha) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IllegalArgumentException("it is not a regular file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException("it is larger than 1 MiB");
    }
    return SidecarCodec.read(bytes, sha);
  }

  /** Returns the differences between the index and the sidecars; empty where they match. */
  public List<String> indexProblems() throws IOException {
    return exist() ? new SidecarIndex(folder).problems(list()) : List.of();
  }

  /** Removes sidecars and leftover temporary files, and rebuilds the index from the rest. */
  public void remove(List<MilestoneSidecar> gone, List<String> leftovers) throws IOException {
    checkWithin();
    for (MilestoneSidecar sidecar : gone) {
      Files.deleteIfExists(folder.resolve(sidecar.sha() + ENDING));
    }
    for (String leftover : leftovers) {
      Files.deleteIfExists(folder.resolve(leftover));
    }
    new SidecarIndex(folder).rebuild(list());
  }
}
