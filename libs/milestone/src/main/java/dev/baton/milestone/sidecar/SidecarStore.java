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
 * The sidecars of a work tree: {@code .baton/checkpoints/<sha>.json}, and {@code index.json} beside
 * them. For one writer at a time; readers see each file whole.
 */
public final class SidecarStore {
  private static final String ENDING = ".json";
  private static final int MAX_BYTES = 1 << 20;

  private final Path root;
  private final Path folder;

  /** Whose they are. */
  public enum Format {
    BATON(".baton"),
    /** Of the tool that had them first; read, never written. */
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
   * A file that is no sidecar though its place and name say so.
   *
   * @param reason one line
   */
  public record Malformed(String file, String reason) {}

  /**
   * What is there.
   *
   * @param sidecars in the order of their runs and milestones
   * @param leftovers of writers that died: names of files
   */
  public record Listing(
      List<MilestoneSidecar> sidecars, List<Malformed> malformed, List<String> leftovers) {
    public Listing {
      sidecars = List.copyOf(sidecars);
      malformed = List.copyOf(malformed);
      leftovers = List.copyOf(leftovers);
    }

    /** A run's, in the order of its milestones. */
    public List<MilestoneSidecar> of(String run) {
      return sidecars.stream().filter(sidecar -> sidecar.runId().equals(run)).toList();
    }

    /** The run's newest milestone. */
    public Optional<MilestoneSidecar> latest(String run) {
      List<MilestoneSidecar> ofRun = of(run);
      return ofRun.isEmpty() ? Optional.empty() : Optional.of(ofRun.getLast());
    }

    /** The runs that have any. */
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
   * Writes one, and then its place in the index. Both are durable when this returns.
   *
   * @throws IOException when it cannot be written; then the index has no place for it
   */
  public Path write(MilestoneSidecar sidecar) throws IOException {
    Files.createDirectories(folder);
    checkWithin();
    Path file = folder.resolve(sidecar.sha() + ENDING);
    AtomicFileWriter.write(file, SidecarCodec.write(sidecar));
    new SidecarIndex(folder).add(sidecar, this);
    return file;
  }

  /** Nothing is written or removed where a link leads. */
  private void checkWithin() throws IOException {
    if (!folder.toRealPath().startsWith(root.toRealPath())) {
      throw new IOException("'" + folder + "' leads out of the work tree: remove the link");
    }
  }

  /** All of them; nothing where the folder is missing. What is malformed is named, not thrown. */
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

  /** What is wrong with the index; nothing where it and the sidecars say the same. */
  public List<String> indexProblems() throws IOException {
    return exist() ? new SidecarIndex(folder).problems(list()) : List.of();
  }

  /** Removes some, and what writers left that died; the index has what is left. */
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
