/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.smallrye.config.WithName;
import java.util.Optional;

/**
 * Declares the keys below {@code baton.kafka} for the configuration of a service, which reports
 * unknown ones. {@link KafkaSecuritySource} reads them.
 */
public interface KafkaSecurityConfig {
  Optional<String> clientFile();

  @WithName("security.protocol")
  Optional<String> protocol();

  @WithName("sasl.mechanism")
  Optional<String> mechanism();

  @WithName("sasl.username")
  Optional<String> username();

  @WithName("sasl.password")
  Optional<String> password();

  @WithName("sasl.password-file")
  Optional<String> passwordFile();

  @WithName("sasl.jaas.config")
  Optional<String> jaasConfig();

  @WithName("sasl.jaas.config-file")
  Optional<String> jaasConfigFile();

  @WithName("ssl.truststore.location")
  Optional<String> truststore();

  @WithName("ssl.truststore.type")
  Optional<String> truststoreType();

  @WithName("ssl.truststore.password")
  Optional<String> truststorePassword();

  @WithName("ssl.truststore.password-file")
  Optional<String> truststorePasswordFile();

  @WithName("ssl.keystore.location")
  Optional<String> keystore();

  @WithName("ssl.keystore.type")
  Optional<String> keystoreType();

  @WithName("ssl.keystore.password")
  Optional<String> keystorePassword();

  @WithName("ssl.keystore.password-file")
  Optional<String> keystorePasswordFile();

  @WithName("ssl.key.password")
  Optional<String> keyPassword();

  @WithName("ssl.key.password-file")
  Optional<String> keyPasswordFile();

  @WithName("ssl.endpoint.identification.algorithm")
  Optional<String> endpointIdentification();
}
