/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.posix.FileHandle;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Creates a tree with every unusual property that a file system allows, and random changes of it:
 * the same for the same seed. Entries that cannot be captured have special names: {@code
 * special-*}, and for an ordinary user {@code unreadable-*} and the content of {@code closed-*}.
 */
public final class OddTree {
  private static final int[] FILE_MODES = {
    0644, 0755, 0600, 0400, 0444, 01644, 0640, 0000, 0200, 04755, 02755, 06711, 02644
  };
  private static final int[] DIRECTORY_MODES = {0755, 0700, 0500, 01777, 0750, 0300, 02775, 04755};
  private static final int[] EDGES = {
    524_287, 524_288, 524_289, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, 262_144, 1 << 20
  };

  private final Random random;
  private final boolean superuser = ProcessCredentials.isSuperuser();
  private final Folder root;
  private final List<Folder> folders = new ArrayList<>();
  private final List<Item> files = new ArrayList<>();
  private int number;
  private int special;

  private record Folder(List<String> names) {
    Folder child(String name) {
      List<String> all = new ArrayList<>(names);
      all.add(name);
      return new Folder(all);
    }
  }

  private record Item(Folder in, String name) {}

  @FunctionalInterface
  private interface Work {
    void on(OpenDirectory directory) throws IOException;
  }

  private final Path path;

  private OddTree(Path path, long seed) {
    this.path = path;
    random = new Random(seed);
    root = new Folder(List.of());
  }

  public static OddTree make(Path path, long seed) throws IOException {
    OddTree tree = new OddTree(path, seed);
    Files.createDirectory(path);
    tree.folders.add(tree.root);
    int count = 5 + tree.random.nextInt(55);
    for (int i = 0; i < count; i++) {
      tree.add();
    }
    if (tree.random.nextInt(15) == 0) {
      tree.deep();
    }
    for (Item file : List.copyOf(tree.files)) {
      tree.in(file.in(), directory -> tree.settle(directory, file.name(), FILE_MODES));
    }
    for (Folder folder : tree.folders.reversed()) {
      tree.settle(folder);
    }
    return tree;
  }

  /** Returns the number of sockets, FIFOs and devices. */
  public int specialFiles() {
    return special;
  }

  /** Changes a few entries. */
  public void change() throws IOException {
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      Folder folder = folders.get(random.nextInt(folders.size()));
      if (files.isEmpty() || random.nextInt(4) == 0) {
        add(folder);
      } else {
        Item file = files.get(random.nextInt(files.size()));
        writable(file.in(), directory -> change(directory, file));
      }
    }
    // Ensures a difference, even if none of the operations changed an entry.
    try (OpenDirectory directory = OpenDirectory.open(path)) {
      directory.setModified(random.nextInt(1_000_000_000), random.nextInt(1_000_000_000));
    }
  }

  private void change(OpenDirectory directory, Item file) throws IOException {
    String name = file.name();
    switch (random.nextInt(7)) {
      case 0 -> {
        directory.unlink(name);
        files.remove(file);
        write(directory, name, content());
        files.add(file);
      }
      case 1 -> {
        directory.unlink(name);
        files.remove(file);
      }
      case 2 -> directory.setModified(name, seconds(), random.nextInt(1_000_000_000));
      case 3 -> directory.chmod(name, readable(FILE_MODES[random.nextInt(FILE_MODES.length)]));
      case 4 -> {
        String other = "renamed-" + number++;
        directory.rename(name, directory, other);
        files.remove(file);
        files.add(new Item(file.in(), other));
      }
      case 5 -> {
        directory.unlink(name);
        files.remove(file);
        directory.symlink(name, target());
      }
      default -> {
        directory.chmod(name, 0600);
        try (OpenFile open = directory.openForWriting(name)) {
          byte[] bytes = "changed".getBytes(StandardCharsets.UTF_8);
          open.writeAt(random.nextInt(1 << 20), bytes, 0, bytes.length);
        }
      }
    }
  }

  private void in(Folder folder, Work work) throws IOException {
    List<OpenDirectory> open = new ArrayList<>();
    try {
      open.add(OpenDirectory.open(path));
      for (String name : folder.names()) {
        open.add(open.getLast().openChild(name));
      }
      work.on(open.getLast());
    } finally {
      for (OpenDirectory each : open.reversed()) {
        each.close();
      }
    }
  }

  /** Like {@link #in}, with write access to the directory meanwhile. */
  private void writable(Folder folder, Work work) throws IOException {
    in(
        folder,
        directory -> {
          StatBuffer stat = new StatBuffer();
          directory.stat(stat);
          directory.chmod(0700);
          try {
            work.on(directory);
          } finally {
            directory.chmod(stat.permissions());
          }
        });
  }

  private void add() throws IOException {
    add(folders.get(random.nextInt(folders.size())));
  }

  private void add(Folder folder) throws IOException {
    String name = name();
    writable(folder, directory -> add(folder, directory, name));
  }

  private void add(Folder folder, OpenDirectory directory, String name) throws IOException {
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> {
        directory.mkdir(name, 0755);
        folders.add(folder.child(name));
      }
      case 3 -> {
        directory.symlink(name, target());
        directory.setModified(name, seconds(), nanos());
      }
      case 4, 5 -> link(directory, name);
      case 6 -> sparse(folder, directory, name);
      case 7 -> notCaptured(folder, directory);
      default -> {
        write(directory, name, content());
        files.add(new Item(folder, name));
      }
    }
  }

  private void link(OpenDirectory directory, String name) throws IOException {
    if (files.isEmpty()) {
      return;
    }
    Item file = files.get(random.nextInt(files.size()));
    in(file.in(), from -> directory.link(from, file.name(), name));
  }

  private void sparse(Folder folder, OpenDirectory directory, String name) throws IOException {
    try (OpenFile file = directory.create(name, 0644)) {
      long at = 0;
      for (int i = random.nextInt(20); i > 0; i--) {
        at += random.nextInt(200_000);
        byte[] bytes = new byte[1 + random.nextInt(20_000)];
        random.nextBytes(bytes);
        file.writeAt(at, bytes, 0, bytes.length);
        at += bytes.length;
      }
      file.truncate(at + random.nextInt(300_000));
    }
    files.add(new Item(folder, name));
  }

  private void notCaptured(Folder folder, OpenDirectory directory) throws IOException {
    if (!superuser && random.nextBoolean()) {
      String closed = "closed-" + number++;
      directory.mkdir(closed, 0700);
      try (OpenDirectory inner = directory.openChild(closed)) {
        write(inner, "inner", new byte[3]);
        if (random.nextBoolean()) {
          accessLists(inner, true);
        }
        inner.chmod(new int[] {0, 0100, 0300, 0400}[random.nextInt(4)]);
      }
      String unreadable = "unreadable-" + number++;
      write(directory, unreadable, new byte[] {1});
      directory.chmod(unreadable, random.nextBoolean() ? 0 : 0200);
    } else if (folder.names().isEmpty()) {
      // Created next to the tree, where the path is short enough for a socket address.
      Path made = path.resolveSibling("special-" + number++);
      try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        socket.bind(UnixDomainSocketAddress.of(made));
      }
      Files.move(made, path.resolve(made.getFileName().toString()));
      special++;
    }
  }

  /** Creates directories whose path exceeds the maximum length. */
  private void deep() throws IOException {
    Folder at = root;
    for (int i = 0; i < 22; i++) {
      String name = (i < 18 ? "deep-" : DirectoryComparator.BELOW) + "d".repeat(200);
      writable(at, directory -> directory.mkdir(name, 0755));
      at = at.child(name);
      folders.add(at);
    }
    Folder deepest = at;
    writable(deepest, directory -> write(directory, "deepest", content()));
    files.add(new Item(deepest, "deepest"));
  }

  private static void write(OpenDirectory directory, String name, byte[] content)
      throws IOException {
    try (OpenFile file = directory.create(name, 0644)) {
      file.write(content, 0, content.length);
    }
  }

  private byte[] content() {
    int kind = random.nextInt(40);
    int size = random.nextInt(600);
    if (kind < 4) {
      size = random.nextInt(300_000);
    } else if (kind == 4) {
      size = EDGES[random.nextInt(EDGES.length)];
    } else if (kind == 5 && random.nextInt(6) == 0) {
      // More than 16 chunks.
      size = 28 << 20;
    } else if (kind < 8) {
      size = 0;
    }
    byte[] content = new byte[size];
    // Sometimes the same bytes again, also in other trees.
    new Random(random.nextInt(10) == 0 ? 1 : random.nextLong()).nextBytes(content);
    return content;
  }

  private String name() {
    String odd =
        switch (random.nextInt(10)) {
          case 0 -> RawName.of("é-日本");
          case 1 -> "line\nbreak\t'\"\\";
          case 2 -> " space ";
          case 3 -> "x".repeat(255 - 5);
          case 4 -> "-rf *";
          case 5 -> ".hidden";
          case 6 -> "a+b=c:d%2f";
          case 7 -> "\u00ff\u0080\u00c3(";
          case 8 -> "Case";
          default -> "plain.txt";
        };
    String tail = Integer.toString(number++, 36);
    return odd + "0".repeat(Math.max(0, 5 - tail.length())) + tail;
  }

  private String target() {
    return switch (random.nextInt(6)) {
      case 0 -> "nowhere";
      case 1 -> "../../../etc/passwd";
      case 2 -> "/tmp/";
      case 3 -> "\u00ff\u00fe/x\n";
      case 4 -> ".";
      default -> "y".repeat(1 + random.nextInt(4000));
    };
  }

  private long seconds() {
    return random.nextInt(5) == 0 ? -random.nextInt(2_000_000_000) : random.nextInt(2_000_000_000);
  }

  private int nanos() {
    return random.nextBoolean() ? random.nextInt(1_000_000_000) : 0;
  }

  private void settle(Folder folder) throws IOException {
    if (folder.names().isEmpty()) {
      try (OpenDirectory directory = OpenDirectory.open(path)) {
        attributes(directory, true);
        directory.setModified(seconds(), nanos());
      }
      return;
    }
    Folder above = new Folder(folder.names().subList(0, folder.names().size() - 1));
    in(above, directory -> settle(directory, folder.names().getLast(), DIRECTORY_MODES));
  }

  private void settle(OpenDirectory directory, String name, int[] modes) throws IOException {
    if (modes == DIRECTORY_MODES) {
      try (OpenDirectory open = directory.openChild(name)) {
        attributes(open, true);
      }
    } else {
      try (OpenFile open = directory.openForWriting(name)) {
        attributes(open, false);
      }
    }
    if (superuser && random.nextInt(8) == 0) {
      directory.chown(name, random.nextInt(3), 100_000 + random.nextInt(3));
    }
    int mode = random.nextBoolean() ? modes[0] : modes[random.nextInt(modes.length)];
    directory.chmod(name, modes == DIRECTORY_MODES ? enterable(mode) : readable(mode));
    directory.setModified(name, seconds(), nanos());
  }

  private int readable(int mode) {
    return superuser ? mode : mode | 0600;
  }

  private int enterable(int mode) {
    return superuser ? mode : mode | 0500;
  }

  private void attributes(FileHandle open, boolean isDirectory) throws IOException {
    if (random.nextInt(6) != 0) {
      return;
    }
    try {
      byte[] value = new byte[random.nextInt(200)];
      random.nextBytes(value);
      open.setXattr("user.note", value);
      open.setXattr("user.\u00ff" + random.nextInt(3), new byte[0]);
      if (superuser) {
        open.setXattr("trusted.baton", value);
      }
    } catch (PosixException e) {
      requireUnsupported(e);
    }
    accessLists(open, isDirectory);
  }

  private void accessLists(FileHandle open, boolean isDirectory) throws IOException {
    try {
      open.setXattr("system.posix_acl_access", accessList());
      if (isDirectory) {
        open.setXattr("system.posix_acl_default", accessList());
      }
    } catch (PosixException e) {
      requireUnsupported(e);
    }
  }

  private static void requireUnsupported(PosixException e) throws PosixException {
    if (!e.isUnsupported()) {
      throw e;
    }
  }

  /**
   * Builds an access list in the kernel's format: a version, then tag, permissions and user of each
   * entry.
   */
  private byte[] accessList() {
    ByteBuffer list = ByteBuffer.allocate(4 + 5 * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(2);
    int[] tags = {1, 2, 4, 16, 32};
    for (int tag : tags) {
      list.putShort((short) tag).putShort((short) (tag == 1 ? 7 : random.nextInt(8)));
      list.putInt(tag == 2 ? 4242 : -1);
    }
    return list.array();
  }
}
