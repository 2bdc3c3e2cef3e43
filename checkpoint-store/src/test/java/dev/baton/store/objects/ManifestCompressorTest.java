/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.manifest.ManifestCodec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Objects of manifests, of this version and of earlier ones. */
class ManifestCompressorTest {
  private static final byte[] MANIFEST =
      "{\"packs\":[%s]}"
          .formatted("0123456789abcdef,".repeat(500))
          .getBytes(StandardCharsets.UTF_8);

  @Test
  void shouldReadWhatItHasCompressed() throws IOException {
    byte[] object = ManifestCompressor.compress(MANIFEST);

    assertThat(object).hasSizeLessThan(MANIFEST.length / 10);
    assertThat(read(object)).isEqualTo(MANIFEST);
  }

  @Test
  void shouldReadObjectsThatEarlierVersionsHaveWritten() throws IOException {
    assertThat(read(MANIFEST)).isEqualTo(MANIFEST);
    assertThat(read(new byte[0])).isEmpty();
  }

  @Test
  void shouldBoundWhatItReads() throws IOException {
    byte[] object = ManifestCompressor.compress(new byte[ManifestCodec.LARGEST + 1_000]);

    assertThat(read(object)).hasSize(ManifestCodec.LARGEST + 1);
  }

  @Test
  void shouldFailOnDamage() {
    byte[] object = ManifestCompressor.compress(MANIFEST);

    assertThatThrownBy(() -> read(Arrays.copyOf(object, object.length - 20)))
        .isInstanceOf(IOException.class);
  }

  private static byte[] read(byte[] object) throws IOException {
    return ManifestCompressor.read(new ByteArrayInputStream(object));
  }
}
