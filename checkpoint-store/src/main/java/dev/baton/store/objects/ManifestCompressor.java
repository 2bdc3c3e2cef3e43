/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.protocol.manifest.ManifestCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses the objects of manifests by gzip: most of a manifest are the digests of its packs in
 * hexadecimal notation. Earlier versions wrote them as they are.
 */
public final class ManifestCompressor {
  private static final int MAGIC_FIRST = 0x1f;
  private static final int MAGIC_SECOND = 0x8b;

  private ManifestCompressor() {}

  /** Returns the object of a manifest. */
  public static byte[] compress(byte[] manifest) {
    ByteArrayOutputStream object = new ByteArrayOutputStream(manifest.length / 2);
    try (GZIPOutputStream out = new GZIPOutputStream(object)) {
      out.write(manifest);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // An array does not fail.
    }
    return object.toByteArray();
  }

  /**
   * Reads a manifest from its object, compressed or not.
   *
   * @return at most one byte more than {@link ManifestCodec#LARGEST}
   * @throws IOException when the compressed bytes are damaged
   */
  public static byte[] read(InputStream object) throws IOException {
    byte[] bytes = object.readNBytes(ManifestCodec.LARGEST + 1);
    if (bytes.length < 2 || (bytes[0] & 0xff) != MAGIC_FIRST || (bytes[1] & 0xff) != MAGIC_SECOND) {
      return bytes;
    }
    try (InputStream plain = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return plain.readNBytes(ManifestCodec.LARGEST + 1);
    }
  }
}
