/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SecretMaskerTest {
  private static final String SECRET = "p/q+ \"r\\ü=s";

  private final SecretMasker masker = new SecretMasker();

  private SecretMasker knowing(String... values) {
    for (String value : values) {
      masker.add("it", value);
    }
    return masker;
  }

  @Test
  void shouldLeaveTextsWithoutSecrets() {
    String text = "a token, abcdef";

    assertThat(masker.mask(text)).isSameAs(text);
    assertThat(knowing("abcdefg").mask(text)).isSameAs(text);
  }

  @Test
  void shouldForgetRotatedValuesBeforeItRefusesAnotherSecret() {
    int half = SecretMasker.MAX_CHARACTERS / 2;
    masker.add("first", "a".repeat(half));
    masker.add("first", "b".repeat(half));

    masker.add("second", "c".repeat(half));

    assertThat(masker.mask("a".repeat(half))).isEqualTo("a".repeat(half));
    assertThat(masker.mask("b".repeat(half) + " " + "c".repeat(half))).isEqualTo("*** ***");
    assertThatThrownBy(() -> masker.add("third", "enough"))
        .isInstanceOf(SecretUnavailableException.class)
        .hasMessageContaining("secret 'third'")
        .hasMessageContaining("131072 characters together");
    assertThat(masker.mask("enough")).isEqualTo("enough");
  }

  @Test
  void shouldMaskAValueInTheFormsInWhichProgramsWriteIt() throws Exception {
    knowing(SECRET);
    byte[] bytes = SECRET.getBytes(UTF_8);
    ObjectMapper json = new ObjectMapper();
    String quoted = json.writeValueAsString(SECRET);
    List<String> forms = new ArrayList<>();
    forms.add(SECRET);
    forms.add(URLEncoder.encode(SECRET, UTF_8));
    forms.add(URLEncoder.encode(SECRET, UTF_8).replace("+", "%20").toLowerCase());
    forms.add(quoted.substring(1, quoted.length() - 1));
    forms.add(quoted.substring(1, quoted.length() - 1).replace("/", "\\/"));
    forms.add("p/q+ \\\"r\\\\\\u00fc=s");
    forms.add(HexFormat.of().formatHex(bytes));

    for (String form : forms) {
      assertThat(masker.mask("x" + form + "y")).as(form).isEqualTo("x***y");
    }
  }

  @Test
  void shouldMaskBase64AtEachOffset() {
    knowing("correct horse battery");
    for (String before : List.of("", "a", "ab", "abc", "user:")) {
      for (String after : List.of("", "!", "!!", "!!!")) {
        byte[] bytes = (before + "correct horse battery" + after).getBytes(UTF_8);
        String encoded = Base64.getEncoder().encodeToString(bytes);

        String masked = masker.mask(encoded);

        // At most the characters that a neighbor shares remain.
        assertThat(masked).contains("***").hasSizeLessThan(encoded.length() - 20);
        assertThat(masker.mask(Base64.getUrlEncoder().encodeToString(bytes))).contains("***");
      }
    }
  }

  @Test
  void shouldMaskAcrossLineEnds() {
    knowing("correct horse battery staple correct horse battery staple");
    String encoded =
        Base64.getMimeEncoder(20, new byte[] {'\n'})
            .encodeToString(
                "correct horse battery staple correct horse battery staple".getBytes(UTF_8));

    assertThat(masker.mask("[" + encoded + "]"))
        .startsWith("[***\n***\n***\n")
        .doesNotContain(encoded.substring(0, 20), encoded.substring(21, 41));
  }

  @Test
  void shouldMaskALineOfAValueWithSeveral() {
    knowing("-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nshort\n-----END KEY-----");

    assertThat(masker.mask("  MIIEvQIBADANBgkqhkiG\n")).isEqualTo("  ***\n");
    assertThat(masker.mask("-----BEGIN KEY-----")).isEqualTo("-----BEGIN KEY-----");
  }

  @Test
  void shouldMaskTextsNamesAndNumbersOfJson() throws Exception {
    knowing("abcdef", "1234567");
    ObjectMapper json = new ObjectMapper();
    JsonNode value = json.readTree("{\"xabcdef\": [1, 81234567, \"abcdef\", null], \"b\": true}");

    assertThat(masker.mask(value))
        .isEqualTo(json.readTree("{\"x***\": [1, \"8***\", \"***\", null], \"b\": true}"));
    JsonNode clean = json.readTree("{\"a\": [1, \"b\"]}");
    assertThat(masker.mask(clean)).isSameAs(clean);
  }

  @Test
  void shouldMaskAValueThatWasRotated() {
    knowing("first-value", "second-value");

    assertThat(masker.mask("first-value second-value third-value"))
        .isEqualTo("*** *** third-value");
  }

  @Test
  void shouldMaskWhatIsLeftOfASecretInAShortenedMessage() {
    knowing("abcdefgh");

    assertThat(masker.maskShortened("failed: abcdef…")).isEqualTo("failed: ***…");
    assertThat(masker.maskShortened("failed: abcdef")).isEqualTo("failed: abcdef");
  }

  @Test
  void shouldMaskRegardlessOfTheBordersOfChunks() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      SecretMasker own = new SecretMasker();
      List<String> secrets = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(3); i++) {
        secrets.add(text(random, 6 + random.nextInt(8)));
        own.add("s" + i, secrets.get(i));
      }
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        text.append(text(random, random.nextInt(9)));
        text.append(random.nextBoolean() ? secrets.get(random.nextInt(secrets.size())) : "\n");
      }
      byte[] bytes = text.toString().getBytes(UTF_8);
      String whole = new String(own.mask(bytes), UTF_8);
      StreamMasker stream = own.stream();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (int at = 0; at < bytes.length; ) {
        int length = Math.min(bytes.length - at, 1 + random.nextInt(7));
        byte[] chunk = new byte[length];
        System.arraycopy(bytes, at, chunk, 0, length);
        out.writeBytes(stream.accept(chunk, length));
        at += length;
      }
      out.writeBytes(stream.end());

      assertThat(out.toString(UTF_8)).as("seed %d", seed).isEqualTo(whole);
      for (String secret : secrets) {
        assertThat(whole.replace("\n", "")).as("seed %d", seed).doesNotContain(secret);
      }
    }
  }

  /** Of three letters, so that beginnings of secrets and overlaps are frequent. */
  private static String text(Random random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append("abc".charAt(random.nextInt(3)));
    }
    return text.toString();
  }

  @Test
  void shouldHoldBackOnlyWhatMayBecomeASecret() {
    StreamMasker stream = knowing("abcdefgh").stream();

    assertThat(accept(stream, "1\n2 ab")).isEqualTo("1\n2 ");
    assertThat(stream.isPausing()).isTrue();
    assertThat(new String(stream.pause(), UTF_8)).isEqualTo("ab");
    assertThat(accept(stream, "cde")).isEmpty();
    assertThat(stream.isPausing()).isFalse();
    assertThat(accept(stream, "fgh.")).isEqualTo("***.");
    assertThat(accept(stream, "abcdeX")).isEqualTo("abcdeX");
  }

  @Test
  void shouldMaskAValueThatBecomesKnownWithinAStream() {
    StreamMasker stream = masker.stream();
    assertThat(accept(stream, "abcdef ")).isEqualTo("abcdef ");
    knowing("abcdef");
    assertThat(accept(stream, "abcdef abc")).isEqualTo("*** ");
    masker.add("other", "abcxyz");
    assertThat(accept(stream, "xyz.")).isEqualTo("***.");
  }

  @Test
  @Timeout(30)
  void shouldTakeTimeThatIsLinearInALongStreamOfBeginnings() {
    StreamMasker stream = knowing("a".repeat(60_000) + "b").stream();
    byte[] chunk = "a".repeat(8_192).getBytes(UTF_8);
    long out = 0;
    for (int i = 0; i < 2_000; i++) {
      out += stream.accept(chunk, chunk.length).length;
    }
    out += stream.end().length;

    assertThat(out).isEqualTo(2_000L * 8_192);
  }

  private static String accept(StreamMasker stream, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return new String(stream.accept(bytes, bytes.length), UTF_8);
  }
}
