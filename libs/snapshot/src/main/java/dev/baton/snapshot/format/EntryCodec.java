/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.DuplicateEntry;
import dev.baton.snapshot.SnapshotException.LinkEscapes;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import dev.baton.snapshot.SnapshotException.TooLarge;
import dev.baton.snapshot.SnapshotException.UnsafeName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes one entry. */
final class EntryCodec {
  private static final int OWNER = 1;
  private static final int XATTRS = 2;

  private EntryCodec() {}

  static void write(NodeEntry entry, ByteWriter out) {
    out.raw(entry.name());
    switch (entry) {
      case NodeEntry.Directory d -> {
        meta(d.meta(), out.u8('d'));
        out.hash(d.node());
      }
      case NodeEntry.File f -> {
        meta(f.meta(), out.u8('f'));
        out.varint(f.size());
        switch (f.content()) {
          case FileContent.Inline(List<Extent> extents) ->
              ExtentListCodec.write(extents, out.u8(0));
          case FileContent.Listed(Hash list) -> out.u8(1).hash(list);
        }
      }
      case NodeEntry.Symlink l -> out.u8('l').zigzag(l.seconds()).varint(l.nanos()).raw(l.target());
      case NodeEntry.HardLink h -> out.u8('h').raw(h.path());
    }
  }

  private static void meta(FileMetadata meta, ByteWriter out) {
    FileOwner owner = meta.owner();
    boolean xattrs = !meta.xattrs().isEmpty();
    out.varint(meta.mode()).zigzag(meta.seconds()).varint(meta.nanos());
    out.varint((owner == null ? 0 : OWNER) | (xattrs ? XATTRS : 0));
    if (owner != null) {
      out.varint(owner.uid()).varint(owner.gid());
    }
    if (xattrs) {
      out.varint(meta.xattrs().size());
      for (Xattr xattr : meta.xattrs()) {
        out.raw(xattr.name()).raw(xattr.value());
      }
    }
  }

  /**
   * @param root whether to read the single entry of a root node, which has no name
   */
  static NodeEntry read(ByteReader in, boolean root) throws SnapshotException {
    String name = in.raw(RawBytesValidator.MAX_NAME, "a name");
    int kind = in.u8();
    if (!root || kind != 'd' || !name.isEmpty()) {
      unsafe(in, RawBytesValidator.nameProblem(name, 0, name.length()));
    }
    return switch (kind) {
      case 'd' -> {
        FileMetadata meta = meta(in);
        yield new NodeEntry.Directory(name, meta, in.hash());
      }
      case 'f' -> file(in, name);
      case 'l' -> {
        long seconds = in.zigzag();
        int nanos = nanos(in);
        String target = in.raw(NodeEntry.Symlink.MAX_TARGET, "the target of a symbolic link");
        unsafe(
            in,
            RawBytesValidator.problem(
                target, 1, NodeEntry.Symlink.MAX_TARGET, true, "the target of a symbolic link"));
        yield new NodeEntry.Symlink(name, seconds, nanos, target);
      }
      case 'h' -> hardLink(in, name);
      default ->
          throw new Corrupt(
              in.message("an entry of kind %d; 'd', 'f', 'l', 'h' are known".formatted(kind)));
    };
  }

  private static NodeEntry file(ByteReader in, String name) throws SnapshotException {
    FileMetadata meta = meta(in);
    long size = in.varint(Long.MAX_VALUE, "the size of a file");
    int tag = in.u8();
    if (tag > 1) {
      throw new Corrupt(in.message("content of kind %d; 0 and 1 are known".formatted(tag)));
    }
    FileContent content =
        tag == 0
            ? new FileContent.Inline(ExtentListCodec.read(in, FileContent.Inline.MAX, size))
            : new FileContent.Listed(in.hash());
    return new NodeEntry.File(name, meta, size, content);
  }

  private static NodeEntry hardLink(ByteReader in, String name) throws SnapshotException {
    String path = in.raw(NodeEntry.HardLink.MAX_PATH, "the path of a hard link");
    String problem = RawBytesValidator.pathProblem(path);
    if (problem != null) {
      throw new LinkEscapes(
          in.message(
              "hard link '%s' to '%s': %s"
                  .formatted(
                      RawBytesValidator.display(name), RawBytesValidator.display(path), problem)));
    }
    return new NodeEntry.HardLink(name, path);
  }

  private static FileMetadata meta(ByteReader in) throws SnapshotException {
    int mode = (int) in.varint(07777, "a mode");
    long seconds = in.zigzag();
    int nanos = nanos(in);
    int flags = (int) in.varint(OWNER | XATTRS, "flags");
    FileOwner owner =
        (flags & OWNER) == 0
            ? null
            : new FileOwner(in.varint(FileOwner.MAX, "a uid"), in.varint(FileOwner.MAX, "a gid"));
    return new FileMetadata(
        mode, seconds, nanos, owner, (flags & XATTRS) == 0 ? List.of() : xattrs(in));
  }

  private static int nanos(ByteReader in) throws SnapshotException {
    return (int) in.varint(999_999_999, "nanoseconds");
  }

  private static List<Xattr> xattrs(ByteReader in) throws SnapshotException {
    int count = in.count(FileMetadata.MAX_XATTRS, 3, "extended attributes");
    if (count == 0) {
      throw new NotCanonical(in.message("a flag for extended attributes, and none"));
    }
    List<Xattr> xattrs = new ArrayList<>(count);
    int bytes = 0;
    String before = "";
    for (int i = 0; i < count; i++) {
      String name = in.raw(RawBytesValidator.MAX_NAME, "the name of an extended attribute");
      unsafe(
          in,
          RawBytesValidator.problem(
              name, 1, RawBytesValidator.MAX_NAME, true, "the name of an extended attribute"));
      ascending(in, before, name, "extended attribute");
      String value = in.raw(Xattr.MAX_VALUE, "the value of an extended attribute");
      bytes += name.length() + value.length();
      if (bytes > FileMetadata.MAX_XATTR_BYTES) {
        throw new TooLarge(
            in.message(
                "more than %d bytes of extended attributes"
                    .formatted(FileMetadata.MAX_XATTR_BYTES)));
      }
      xattrs.add(new Xattr(name, value));
      before = name;
    }
    return xattrs;
  }

  static void ascending(ByteReader in, String before, String name, String what)
      throws SnapshotException {
    int order = before.compareTo(name);
    if (order == 0) {
      throw new DuplicateEntry(
          in.message("%s '%s' occurs twice".formatted(what, RawBytesValidator.display(name))));
    }
    if (order > 0) {
      throw new NotCanonical(
          in.message(
              "%s '%s' must come before '%s'"
                  .formatted(
                      what, RawBytesValidator.display(name), RawBytesValidator.display(before))));
    }
  }

  private static void unsafe(ByteReader in, @Nullable String problem) throws SnapshotException {
    if (problem != null) {
      throw new UnsafeName(in.message(problem));
    }
  }
}
