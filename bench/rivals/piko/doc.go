package piko
